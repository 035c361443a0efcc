export { generic as trinketTrove } from './generic.js';
