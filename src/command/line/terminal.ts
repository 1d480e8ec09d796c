import { stripVTControlCharacters } from 'node:util';
import { createStyle, type Reader, type Style, isColourWanted } from '../../output/style.js';
import { widthOf } from '../../output/width.js';
import { UTC } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { type Ports, Stopped, untilStopped } from '../../runtime/ports.js';

export interface FormatFlags {
  readonly 'no-input'?: boolean;
  readonly json?: boolean;
  readonly output?: string | undefined;
  readonly jq?: string | undefined;
}

export function isPersonThere(ports: Pick<Ports, 'input' | 'errors' | 'env'>, flags: FormatFlags): boolean {
  return ports.input.isTTY && ports.errors.isTTY && flags['no-input'] !== true && !isSet(ports.env['CI']);
}

export function mayConverse(ports: Pick<Ports, 'input' | 'errors' | 'env'>, flags: FormatFlags): boolean {
  const hasChosenFormat = flags.json === true || flags.output !== undefined || flags.jq !== undefined;
  return (
    isPersonThere(ports, flags) &&
    !hasChosenFormat &&
    (ports.env['TERM'] !== 'dumb' || arePlainLinesWanted(ports))
  );
}

/** `ACCESSIBLE=1` asks for plain lines, because a screen reader cannot follow repainted ones. */
export function arePlainLinesWanted({ env }: Pick<Ports, 'env'>): boolean {
  return isSet(env['ACCESSIBLE']);
}

export function mayRepaint({ errors, env }: Pick<Ports, 'errors' | 'env'>): boolean {
  return errors.isTTY && env['TERM'] !== 'dumb' && !arePlainLinesWanted({ env });
}

/** Counts the rows above the last row of a line wrapped at `columns`. */
export function rowsAbove(line: string, columns: number): number {
  return Math.max(0, Math.ceil(widthOf(line) / columns) - 1);
}

/** The returned function gives the text that replaces the last line, even if a narrower window has wrapped that line. */
export function lineReplacer(errors: Pick<Ports['errors'], 'columns'>): (text: string) => string {
  let lastText = '';
  return (text) => {
    const rows = rowsAbove(lastText, errors.columns);
    const plainText = stripVTControlCharacters(text);
    lastText = plainText.slice(0, Math.max(0, errors.columns - 1));
    const start = rows === 0 ? '\r' : `\r\u001b[${String(rows)}A\u001b[J`;
    return `${start}\u001b[K${lastText === plainText ? text : lastText}`;
  };
}

export function terminalName({ env }: Pick<Ports, 'env'>): string | undefined {
  return arePlainLinesWanted({ env }) ? 'dumb' : env['TERM'];
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '' && variable !== '0' && variable !== 'false';
}

export async function readTypedAnswer(
  { input, errors, signal }: Pick<Ports, 'input' | 'errors' | 'signal'>,
  stopMessage: string,
): Promise<string | null> {
  try {
    return await untilStopped(input.readLine(), signal);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    await errors.write('\n');
    const failure = new Failure('unsafe', stopMessage, { outcome: 'not_sent', cause: error });
    throw new Stopped(error.signalName, error.exitCode, failure);
  }
}

export async function typesYes(
  ports: Pick<Ports, 'input' | 'errors' | 'signal'>,
  stopMessage: string,
  mayBeShort = false,
): Promise<boolean> {
  const answer = (await readTypedAnswer(ports, stopMessage))?.trim().toLowerCase();
  return answer === 'yes' || (mayBeShort && answer === 'y');
}

type StyleFlags = Readonly<Record<'no-color' | 'utc', boolean>>;

export function styleForErrors(
  { errors, env }: Pick<Ports, 'errors' | 'env'>,
  flags: Pick<StyleFlags, 'no-color'>,
): Promise<Style> {
  return createStyle(isColourWanted(flags['no-color'], env, errors.isTTY), terminalName({ env }));
}

export function styleForOutput(
  { output, env }: Pick<Ports, 'output' | 'env'>,
  flags: StyleFlags,
): Promise<Style> {
  return createStyle(isColourWanted(flags['no-color'], env, output.isTTY), terminalName({ env }));
}

export async function readerFor(
  ports: Pick<Ports, 'output' | 'env' | 'zone'>,
  flags: StyleFlags,
  nowMs: number | null,
): Promise<Reader> {
  const style = await styleForOutput(ports, flags);
  return { width: ports.output.columns, style, zone: flags.utc ? UTC : ports.zone, nowMs };
}
