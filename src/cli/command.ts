/** A command, declared as data: oclif parses its line, our own code owns ports, errors and exit codes. */
import type * as Interfaces from '@oclif/core/interfaces';
import { Command } from '@oclif/core/command';
import { Config } from '@oclif/core/config';
import type { EndpointId } from '../contract/endpoints.js';
import { Failure } from '../runtime/failure.js';
import type { Ports } from '../runtime/ports.js';
import { VERSION } from '../runtime/version.js';
import { globalFlags, PLACE_FLAGS, type PlaceFlag } from './line/flags.js';
import { codesIn } from './line/shell.js';
import type { Vocabulary } from './line/vocabulary.js';
import { diskFailure } from '../runtime/folders.js';
import { bufferNamedPipe } from '../runtime/named-pipe.js';
import type { Printed } from '../schema/printed-name.js';

/** What every command gets: ports, the typed words, and the list of all commands (for help and completion). */
export interface Program {
  readonly ports: Ports;
  /** The command line as typed, for the commands that are suggested next. */
  readonly typed: readonly string[];
  readonly vocabulary: Vocabulary;
  readonly entries: () => Promise<readonly Entry[]>;
}

/** A command at work: what its steps are called with. */
export interface Run<F = GlobalFlags> extends Program {
  readonly flags: F;
}

/** oclif's configuration, which knows what it needs without looking at the disk: nothing is discovered, no hook runs. */
export class ProgramConfig extends Config {
  constructor(readonly program: Program) {
    super({ root: '/' });
    this.bin = 'svc';
    this.name = 'svc';
    this.version = VERSION;
    this.topicSeparator = ' ';
  }

  override runHook(): Promise<{ successes: []; failures: [] }> {
    return Promise.resolve({ successes: [], failures: [] });
  }
}

/** A command's id, words separated by a space, with its class. */
export type Entry = readonly [id: string, command: SvcCommandClass];

export type GlobalFlags = Interfaces.InferredFlags<typeof globalFlags>;

/** A command at work, typed by its own flags and arguments. */
export interface RunOf<C extends Declared> extends Run<GlobalFlags & Interfaces.InferredFlags<C['flags']>> {
  readonly args: Interfaces.InferredArgs<C['args']>;
  /** The row of the table that it stands for; null for a local command. */
  readonly row: C['endpoint'];
  /** What stands behind "--", of a command that declares `words`. */
  readonly words: readonly string[];
}

/** What types a command line; looser than oclif's own type, whose optional statics refuse `undefined`. */
export interface Declared {
  readonly args: object;
  readonly flags: object;
  readonly endpoint: EndpointId | null;
}

export type SvcCommandClass = Omit<typeof SvcCommand, 'prototype'> &
  (new (argv: string[], config: ProgramConfig) => SvcCommand);

/** What every declaration is made into, and what it says where it says nothing. */
abstract class SvcCommand extends Command {
  static override readonly baseFlags = globalFlags;
  /** The row of the table that the command stands for; null for a local one. It lands in the manifest. */
  static readonly endpoint: EndpointId | null = null;
  static override readonly examples: string[] = [];
  /** What it can end with beside what its row of the table, or having none, entails (see `help/exit-codes.ts`). */
  static readonly exits: readonly number[] = [];
  /** What it prints where no form is asked for and no terminal reads it; the result of its row unless it says so. */
  static readonly prints: Printed | 'row' = 'row';
  /** What it prints in place of that, by the flag (`--plan`, `--output ndjson`) or argument (`ID`) that was typed: the first one counts. */
  static readonly printsWith: Readonly<Record<string, Printed>> = {};
  /** Flags that a script has to give: they stand in the usage line, beside those that the parser demands. */
  static readonly needs: readonly string[] = [];
  /** The usage line's arguments, for example `FILE | -`. Default: their names in capitals. */
  static readonly typedArguments: string | null = null;
  /** Global flags that matter to it: its page of help names them. */
  static readonly namesGlobal: readonly (keyof typeof globalFlags)[] = [];
  /** What those mean to it, where that is not what they mean elsewhere. */
  static readonly globalSummaries: Readonly<Partial<Record<keyof typeof globalFlags, string>>> = {};
  /** Which of the flags that say where or what it goes by; any other is refused. */
  static readonly heeds: readonly PlaceFlag[] = PLACE_FLAGS;

  /** Whether a command of its own has to stand behind "--", which it starts. */
  static readonly words: 'none' | 'needed' = 'none';

  /** Runs the command on a command line that `argv.ts` has read. oclif's own `run` would load a configuration from the disk. */
  static async start(argv: readonly string[], program: Program): Promise<void> {
    const command = new (this as unknown as SvcCommandClass)([...argv], new ProgramConfig(program));
    await command._run();
  }

  /** oclif would look for deprecated aliases in the arguments of the process here. */
  protected override init(): Promise<void> {
    return Promise.resolve();
  }

  protected get ports(): Ports {
    return this.program.ports;
  }

  private get program(): Program {
    return (this.config as unknown as ProgramConfig).program;
  }

  protected get declared(): typeof SvcCommand {
    return this.constructor as typeof SvcCommand;
  }

  /**
   * Parses the command line by the flags and arguments of the command's own class.
   * @throws Failure `usage` in place of the parser's own errors, and for a flag that says where or what, and would change nothing
   */
  protected async line<C extends Declared>(command: C): Promise<RunOf<C>> {
    const { heeds, id, words: takes, examples } = this.declared;
    const at = this.argv.indexOf('--');
    const words: readonly string[] = takes === 'none' || at === -1 ? [] : this.argv.slice(at + 1);
    if (takes === 'needed') {
      if (words.length === 0)
        throw new Failure('usage', `Give a command after "--", for example: ${examples[0] ?? ''}`);
      // What stands before "--" is left to the parser.
      this.argv = this.argv.slice(0, at);
    }
    const { args, flags } = await this.understood(command);
    const isGiven = (name: PlaceFlag): boolean => flags[name] !== undefined && flags[name] !== false;
    const ignored = PLACE_FLAGS.filter((name) => !heeds.includes(name) && isGiven(name));
    if (ignored.length > 0)
      throw (await import('./line/usage.js')).ignoredFlags(id.replaceAll(':', ' '), ignored);
    await holdGivenPipes(this.ports, flags);
    return { ...this.program, args, flags, row: command.endpoint, words } as RunOf<C>;
  }

  private async understood(
    command: Declared,
  ): Promise<{ readonly args: object; readonly flags: Readonly<Record<string, unknown>> }> {
    try {
      return await this.parse(command as unknown as typeof Command);
    } catch (error) {
      // The parser repeats what it does not understand, and a slip of the hand may have put a one-time code there.
      this.ports.redact.add(this.argv.flatMap((word) => word.match(/(?<![0-9])[0-9]{4,10}(?![0-9])/g) ?? []));
      if ('code' in this.declared.flags) this.ports.redact.add(codesIn(this.argv));
      const { parserFailure } = await import('./line/usage.js');
      const { id, flags, baseFlags, examples, heeds } = this.declared;
      throw parserFailure(error, {
        id: id.replaceAll(':', ' '),
        flags: { ...flags, ...baseFlags },
        example: examples[0],
        argv: this.argv,
        ignored: PLACE_FLAGS.filter((name) => !heeds.includes(name)),
      });
    }
  }

  /** `main` owns every error: oclif's own handling changes exit codes and prints on standard output. */
  protected override catch(error: Error): Promise<never> {
    return Promise.reject(error);
  }
}

/** A command as data, with its job. What is not said is as `SvcCommand` has it. */
type Declaration<E extends EndpointId | null, A extends object, F extends object> = Partial<
  Pick<
    typeof SvcCommand,
    | 'description'
    | 'exits'
    | 'prints'
    | 'printsWith'
    | 'needs'
    | 'typedArguments'
    | 'namesGlobal'
    | 'globalSummaries'
    | 'heeds'
    | 'words'
  >
> & {
  readonly endpoint?: E;
  readonly summary: string;
  readonly examples: string[];
  readonly args?: A;
  readonly flags?: F;
  readonly run: (run: RunOf<{ endpoint: E; args: A; flags: F }>) => Promise<void>;
};

/** The class that oclif parses and describes. */
export function command<
  const E extends EndpointId | null = null,
  A extends object = object,
  F extends object = object,
>({ run, ...declared }: Declaration<E, A, F>): SvcCommandClass {
  class Declared extends SvcCommand {
    async run(): Promise<void> {
      await run(await this.line(Declared as unknown as { endpoint: E; args: A; flags: F }));
    }
  }
  return Object.assign(Declared, { args: {}, flags: {}, ...declared });
}

/** What may name a pipe. Its reader reads at once, where no signal is heard: so it is read before. */
const FILE_VARIABLES = [
  'SVC_API_KEY_FILE',
  'SVC_STATE_FILE',
  'SVC_STATE_PASSWORD_FILE',
  'SVC_STATE_KEY_FILE',
  'SVC_INTO_PASSWORD_FILE',
];
const FILE_FLAGS = ['ca-file', 'secret-file', 'data-file'];
/** A body has at most 1 MiB, and so have the certificates of all the world; one more shows what is too long. */
const MAX_BYTES = 1024 * 1024 + 1;

/** Reads the named pipes that are given; nothing is done where none is. @throws Stopped; Failure `local_state` */
async function holdGivenPipes(
  { env, signal }: Pick<Ports, 'env' | 'signal'>,
  flags: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { data } = flags;
  const given = [...FILE_VARIABLES.map((name) => env[name]), ...FILE_FLAGS.map((name) => flags[name])];
  if (typeof data === 'string' && data.startsWith('@')) given.push(data.slice(1));
  for (const path of given) {
    if (typeof path !== 'string' || path === '') continue;
    await bufferNamedPipe(path, MAX_BYTES, signal).catch((error: unknown) => {
      throw diskFailure('read', path, error);
    });
  }
}
