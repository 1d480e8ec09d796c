/** Reads a person's answer to a question; a signal ends the question, and what is typed after it answers nothing. */
import { Failure } from '../../runtime/failure.js';
import { Stopped, type Ports } from '../../runtime/ports.js';
import { untilStopped } from '../../runtime/stopping.js';

/**
 * A line, without its end; null where the input ended.
 * @param end what is true where the signal came first: "Nothing was sent."
 * @throws Stopped
 */
export async function readTypedAnswer(
  { input, errors, signal }: Pick<Ports, 'input' | 'errors' | 'signal'>,
  end: string,
): Promise<string | null> {
  try {
    return await untilStopped(input.readLine(), signal);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    // Behind the question, not in its line.
    await errors.write('\n');
    throw new Stopped(
      error.signalName,
      error.exitCode,
      new Failure('unsafe', end, { outcome: 'not_sent', cause: error }),
    );
  }
}
