/** The port to a terminal as a dialogue needs it: raw keys in, frames out. Standard output is not part of it: that carries data. */

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Standard input and standard error of this process. */
export function processTerminal(): Terminal {
  return { input: process.stdin, output: process.stderr };
}
