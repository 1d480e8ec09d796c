/** Ten thousand histories of single creates of the family "used on two", in `npm run safety -- singles`. */
import { it } from 'vitest';
import { playFamily, TITLE } from './family.js';

it(TITLE, () => playFamily('used on two'), 7_200_000);
