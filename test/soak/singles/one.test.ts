import { it } from 'vitest';
import { playFamily, TITLE } from './family.js';

it(TITLE, () => playFamily('one'), 7_200_000);
