import { it } from 'vitest';
import { playFamily, TITLE } from './family.js';

it(TITLE, () => playFamily('lost'), 7_200_000);
