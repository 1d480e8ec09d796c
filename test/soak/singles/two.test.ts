import { it } from 'vitest';
import { playFamily, TITLE } from './family.js';

it(TITLE, () => playFamily('two'), 7_200_000);
