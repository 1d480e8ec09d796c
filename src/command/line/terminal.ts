/** Decides for all commands whether a person may be asked, and finds the width, colours and time zone of the output. */
import { createStyle, type Reader, type Style, wantsColour } from '../../output/style.js';
import { UTC } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { type Ports, Stopped, untilStopped } from '../../runtime/ports.js';

/** Flags by which a script forbids questions or chooses a form of output. */
export interface FormatFlags {
  readonly 'no-input'?: boolean;
  readonly json?: boolean;
  readonly output?: string | undefined;
  readonly jq?: string | undefined;
}

/** True if a person can be asked: standard input and standard error are terminals, and neither --no-input nor `CI` is set. */
export function isPersonThere(ports: Pick<Ports, 'input' | 'errors' | 'env'>, flags: FormatFlags): boolean {
  return ports.input.isTTY && ports.errors.isTTY && flags['no-input'] !== true && !isSet(ports.env['CI']);
}

/**
 * True if the dialogue may start: a person can be asked, no flag chose a form of output, and the terminal can move its cursor
 * or the person wants plain lines.
 */
export function mayConverse(ports: Pick<Ports, 'input' | 'errors' | 'env'>, flags: FormatFlags): boolean {
  const hasChosenFormat = flags.json === true || flags.output !== undefined || flags.jq !== undefined;
  return (
    isPersonThere(ports, flags) && !hasChosenFormat && (ports.env['TERM'] !== 'dumb' || wantsLines(ports))
  );
}

/** True if a person wants plain lines that are never repainted, for a screen reader: `ACCESSIBLE=1`. */
export function wantsLines({ env }: Pick<Ports, 'env'>): boolean {
  return isSet(env['ACCESSIBLE']);
}

/** True if a line may be repainted: the terminal can move its cursor, and nobody wants plain lines. */
export function mayRepaint({ errors, env }: Pick<Ports, 'errors' | 'env'>): boolean {
  return errors.isTTY && env['TERM'] !== 'dumb' && !wantsLines({ env });
}

/** Returns the terminal's name, or `dumb` if a person wants plain lines. */
export function terminalName({ env }: Pick<Ports, 'env'>): string | undefined {
  return wantsLines({ env }) ? 'dumb' : env['TERM'];
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '' && variable !== '0' && variable !== 'false';
}

/** Reads a line, without its line end; null at the end of the input. */
export async function readTypedAnswer(
  { input, errors, signal }: Pick<Ports, 'input' | 'errors' | 'signal'>,
  stopMessage: string,
): Promise<string | null> {
  try {
    return await untilStopped(input.readLine(), signal);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    // The report of the error begins below the question.
    await errors.write('\n');
    const failure = new Failure('unsafe', stopMessage, { outcome: 'not_sent', cause: error });
    throw new Stopped(error.signalName, error.exitCode, failure);
  }
}

/** True if a person types the whole word "yes". */
export async function typesYes(
  ports: Pick<Ports, 'input' | 'errors' | 'signal'>,
  stopMessage: string,
): Promise<boolean> {
  return (await readTypedAnswer(ports, stopMessage))?.trim().toLowerCase() === 'yes';
}

type StyleFlags = Readonly<Record<'no-color' | 'utc', boolean>>;

export function styleForErrors(
  { errors, env }: Pick<Ports, 'errors' | 'env'>,
  flags: Pick<StyleFlags, 'no-color'>,
): Promise<Style> {
  return createStyle(wantsColour(flags['no-color'], env, errors.isTTY), terminalName({ env }));
}

export function styleForOutput(
  { output, env }: Pick<Ports, 'output' | 'env'>,
  flags: StyleFlags,
): Promise<Style> {
  return createStyle(wantsColour(flags['no-color'], env, output.isTTY), terminalName({ env }));
}

/** Returns the width, style and time zone for standard output. */
export async function readerFor(
  ports: Pick<Ports, 'output' | 'env' | 'zone'>,
  flags: StyleFlags,
  nowMs: number | null,
): Promise<Reader> {
  const style = await styleForOutput(ports, flags);
  return { width: ports.output.columns, style, zone: flags.utc ? UTC : ports.zone, nowMs };
}
