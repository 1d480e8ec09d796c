import { it } from 'vitest';
import { playFamily, TITLE } from './family.js';

it(TITLE, () => playFamily('months'), 7_200_000);
