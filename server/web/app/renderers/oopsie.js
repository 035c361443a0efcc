export { generic as oopsie } from './generic.js';
