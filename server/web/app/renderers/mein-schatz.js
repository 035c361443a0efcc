export { generic as meinSchatz } from './generic.js';
