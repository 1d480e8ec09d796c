/**
 * Who is at the terminal: whether a person may be asked, decided in this one place from terminals and flags, how the answer is read, and
 * how wide, in which colours and zone they read.
 */
import { createStyle, type Reader, type Style, wantsColour } from '../../output/style.js';
import { UTC } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { type Ports, Stopped, untilStopped } from '../../runtime/ports.js';

/** The flags that say who is listening. */
export interface Listening {
  readonly 'no-input'?: boolean;
  readonly json?: boolean;
  readonly output?: string | undefined;
  readonly jq?: string | undefined;
}

/** True where questions reach a person: standard input and standard error are terminals and nothing asked for silence. */
export function isPersonThere(ports: Pick<Ports, 'input' | 'errors' | 'env'>, flags: Listening): boolean {
  return ports.input.isTTY && ports.errors.isTTY && flags['no-input'] !== true && !isSet(ports.env['CI']);
}

/**
 * True where the dialogue may start: a person is there, no script reads the output in a form it chose, and the terminal can move its
 * cursor, or the person wants nothing repainted.
 */
export function mayConverse(ports: Pick<Ports, 'input' | 'errors' | 'env'>, flags: Listening): boolean {
  const isChosen = flags.json === true || flags.output !== undefined || flags.jq !== undefined;
  return isPersonThere(ports, flags) && !isChosen && (ports.env['TERM'] !== 'dumb' || wantsLines(ports));
}

/** True where a person wants plain lines that stay, as a screen reader reads them: `ACCESSIBLE=1`. */
export function wantsLines({ env }: Pick<Ports, 'env'>): boolean {
  return isSet(env['ACCESSIBLE']);
}

/** True where a line may be written over: a terminal that can move its cursor, and nobody who wants lines that stay. */
export function mayRepaint({ errors, env }: Pick<Ports, 'errors' | 'env'>): boolean {
  return errors.isTTY && env['TERM'] !== 'dumb' && !wantsLines({ env });
}

/** The terminal's name for what is printed on it; one with plain signs only where a person wants plain lines. */
export function terminalName({ env }: Pick<Ports, 'env'>): string | undefined {
  return wantsLines({ env }) ? 'dumb' : env['TERM'];
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '' && variable !== '0' && variable !== 'false';
}

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

/** True where a person typed the whole word. @param end as for `readTypedAnswer` @throws Stopped */
export async function typesYes(
  ports: Pick<Ports, 'input' | 'errors' | 'signal'>,
  end: string,
): Promise<boolean> {
  return (await readTypedAnswer(ports, end))?.trim().toLowerCase() === 'yes';
}

/** The flags that say how it looks. */
interface Looks {
  readonly 'no-color': boolean;
  readonly utc: boolean;
}

/** The look of standard error. */
export function styleForErrors(
  { errors, env }: Pick<Ports, 'errors' | 'env'>,
  flags: Pick<Looks, 'no-color'>,
): Promise<Style> {
  return createStyle(wantsColour(flags['no-color'], env, errors.isTTY), terminalName({ env }));
}

/** The look of standard output. */
export function styleFor({ output, env }: Pick<Ports, 'output' | 'env'>, flags: Looks): Promise<Style> {
  return createStyle(wantsColour(flags['no-color'], env, output.isTTY), terminalName({ env }));
}

/** @param nowMs what time it is for the service, in ms; null where it did not say */
export async function readerFor(
  ports: Pick<Ports, 'output' | 'env' | 'zone'>,
  flags: Looks,
  nowMs: number | null,
): Promise<Reader> {
  const style = await styleFor(ports, flags);
  return { width: ports.output.columns, style, zone: flags.utc ? UTC : ports.zone, nowMs };
}
