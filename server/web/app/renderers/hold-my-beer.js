export { generic as holdMyBeer } from './generic.js';
