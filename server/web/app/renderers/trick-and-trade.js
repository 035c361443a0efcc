export { generic as trickAndTrade } from './generic.js';
