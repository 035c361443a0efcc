export { generic as threadTheNeedle } from './generic.js';
