/** Ten thousand histories of single creates of the family "forged", in `npm run safety -- singles`. */
import { it } from 'vitest';
import { playFamily, TITLE } from './family.js';

it(TITLE, () => playFamily('forged'), 7_200_000);
