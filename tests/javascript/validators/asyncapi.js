/** Says what the specification's own parser finds wrong in the AsyncAPI document on standard input. */
import { readFileSync } from 'node:fs';
import { Parser } from '@asyncapi/parser';

const found = await new Parser().validate(readFileSync(0, 'utf-8'));
console.log(JSON.stringify(found.map(({ severity, message, path }) => ({ severity, message, path: path.join('/') }))));
