import type { Seeded } from '../../support/seeded.js';
import type { Ended } from './machine.js';

type Program = (
  words: readonly string[],
  turn: (end: () => void) => Promise<void>,
  line: number,
) => Promise<Ended>;

const DEAD: Ended = { exitCode: 137, stdout: '', stderr: '', isKilled: true, error: null };

export class Turns {
  readonly #random: Seeded;
  readonly #killRate: number;
  #waiting: { readonly goOn: () => void; readonly die: () => void }[] = [];
  #active = 0;

  constructor(random: Seeded, killRate: number) {
    this.#random = random;
    this.#killRate = killRate;
  }

  async run(lines: readonly (readonly string[])[], program: Program): Promise<Ended[]> {
    this.#active = lines.length;
    return Promise.all(
      lines.map((words, line) => {
        let die: () => void = () => undefined;
        const death = new Promise<Ended>((resolve) => {
          die = () => {
            resolve(DEAD);
          };
        });
        const turn = (end: () => void): Promise<void> =>
          this.#turn(() => {
            end();
            die();
          });
        const life = program(words, turn, line).finally(() => {
          this.#active -= 1;
          this.#next();
        });
        return Promise.race([life, death]);
      }),
    );
  }

  #turn(die: () => void): Promise<void> {
    return new Promise((goOn) => {
      this.#waiting.push({ goOn, die });
      this.#active -= 1;
      this.#next();
    });
  }

  #next(): void {
    while (this.#active <= 0 && this.#waiting.length > 0) {
      const [next] = this.#waiting.splice(this.#random.below(this.#waiting.length), 1);
      if (next === undefined) return;
      if (this.#random.chance(this.#killRate)) next.die();
      else {
        this.#active += 1;
        next.goOn();
      }
    }
  }
}
