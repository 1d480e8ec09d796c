import type * as Interfaces from '@oclif/core/interfaces';
import { Command } from '@oclif/core/command';
import { Config } from '@oclif/core/config';
import type { EndpointId } from '../contract/endpoints.js';
import { Failure } from '../runtime/failure.js';
import type { Ports } from '../runtime/ports.js';
import { VERSION } from '../runtime/version.js';
import { globalFlags, PLACE_FLAGS, type PlaceFlag } from './line/flags.js';
import type { Vocabulary } from './line/vocabulary.js';
import { diskFailure } from '../runtime/folders.js';
import { bufferNamedPipe } from '../runtime/named-pipe.js';
import type { OutputForm } from './shape-names.js';
import type { App, AppFlags } from './app.js';
import type { Session } from '../session/session.js';

export interface Program {
  readonly ports: Ports;
  readonly typed: readonly string[];
  readonly vocabulary: Vocabulary;
  readonly entries: () => Promise<readonly CommandEntry[]>;
  readonly appOf: (ports: Ports, flags: AppFlags) => App;
}

export interface Run<F = GlobalFlags> extends Program {
  readonly flags: F;
  readonly app: App;
}

export interface SessionRun<F = GlobalFlags> extends Run<F> {
  readonly session: Session;
}

export async function inSession<R extends Run>(
  run: R,
  connections?: number,
): Promise<R & SessionRun<R['flags']>> {
  return { ...run, session: await run.app.session(connections) };
}

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

export type CommandEntry = readonly [id: string, command: SvcCommandClass];

export type GlobalFlags = Interfaces.InferredFlags<typeof globalFlags>;

export interface RunOf<C extends CommandStatics> extends Run<
  GlobalFlags & Interfaces.InferredFlags<C['flags']>
> {
  readonly args: Interfaces.InferredArgs<C['args']>;
  readonly endpointId: C['endpoint'];
  readonly words: readonly string[];
}

export interface CommandStatics {
  readonly args: object;
  readonly flags: object;
  readonly endpoint: EndpointId | null;
}

export type SvcCommandClass = Omit<typeof SvcCommand, 'prototype'> &
  (new (argv: string[], config: ProgramConfig) => SvcCommand);

abstract class SvcCommand extends Command {
  static override readonly baseFlags = globalFlags;
  static readonly endpoint: EndpointId | null = null;
  static override readonly examples: string[] = [];
  /** Exit codes in addition to those of `endpoint`. */
  static readonly exits: readonly number[] = [];
  static readonly prints: OutputForm | 'answer' = 'answer';
  /** What the command prints if a flag or argument was typed, such as `--plan`. The first match counts. */
  static readonly printsWith: Readonly<Record<string, OutputForm>> = {};
  static readonly needs: readonly string[] = [];
  static readonly typedArguments: string | null = null;
  static readonly namesGlobal: readonly (keyof typeof globalFlags)[] = [];
  static readonly globalSummaries: Readonly<Partial<Record<keyof typeof globalFlags, string>>> = {};
  static readonly heeds: readonly PlaceFlag[] = PLACE_FLAGS;

  static readonly words: 'none' | 'needed' = 'none';

  /** oclif's own `run` would load a configuration from the disk. */
  static async start(argv: readonly string[], program: Program): Promise<void> {
    const command = new (this as unknown as SvcCommandClass)([...argv], new ProgramConfig(program));
    await command._run();
  }

  /** oclif's own `init` would look for deprecated aliases in the arguments of the process. */
  protected override init(): Promise<void> {
    return Promise.resolve();
  }

  private get program(): Program {
    return (this.config as unknown as ProgramConfig).program;
  }

  protected get commandClass(): typeof SvcCommand {
    return this.constructor as typeof SvcCommand;
  }

  protected async parseLine<C extends CommandStatics>(command: C): Promise<RunOf<C>> {
    const { heeds, id, words: wordsRule, examples } = this.commandClass;
    const at = this.argv.indexOf('--');
    const words: readonly string[] = wordsRule === 'none' || at === -1 ? [] : this.argv.slice(at + 1);
    if (wordsRule === 'needed') {
      if (words.length === 0)
        throw new Failure('usage', `Give a command after "--", for example: ${examples[0] ?? ''}`);
      this.argv = this.argv.slice(0, at);
    }
    const { args, flags } = await this.parseOrExplain(command);
    const isTyped = (name: PlaceFlag): boolean => flags[name] !== undefined && flags[name] !== false;
    const ignoredFlagNames = PLACE_FLAGS.filter((name) => !heeds.includes(name) && isTyped(name));
    if (ignoredFlagNames.length > 0)
      throw (await import('./line/usage-errors.js')).ignoredFlags(id.replaceAll(':', ' '), ignoredFlagNames);
    await readNamedPipes(this.program.ports, flags);
    const app = this.program.appOf(this.program.ports, flags as GlobalFlags);
    return { ...this.program, app, args, flags, endpointId: command.endpoint, words } as RunOf<C>;
  }

  private async parseOrExplain(
    command: CommandStatics,
  ): Promise<{ readonly args: object; readonly flags: Readonly<Record<string, unknown>> }> {
    try {
      return await this.parse(command as unknown as typeof Command);
    } catch (error) {
      // Numbers of 4 to 10 digits are redacted, because the parser's message may repeat a one-time code.
      const { redact } = this.program.ports;
      redact.add(this.argv.flatMap((word) => word.match(/(?<![0-9])[0-9]{4,10}(?![0-9])/g) ?? []));
      if ('code' in this.commandClass.flags)
        redact.add((await import('./line/typed-words.js')).codesIn(this.argv));
      const { parserFailure } = await import('./line/usage-errors.js');
      const { id, flags, baseFlags, examples, heeds } = this.commandClass;
      throw parserFailure(error, {
        id: id.replaceAll(':', ' '),
        flags: { ...flags, ...baseFlags },
        example: examples[0],
        argv: this.argv,
        refusedFlags: PLACE_FLAGS.filter((name) => !heeds.includes(name)),
      });
    }
  }

  /** oclif's own handling is replaced, because it changes exit codes and prints on standard output. */
  protected override catch(error: Error): Promise<never> {
    return Promise.reject(error);
  }
}

type CommandDeclaration<E extends EndpointId | null, A extends object, F extends object> = Partial<
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

export function command<
  const E extends EndpointId | null = null,
  A extends object = object,
  F extends object = object,
>({ run, ...declaration }: CommandDeclaration<E, A, F>): SvcCommandClass {
  class DeclaredCommand extends SvcCommand {
    async run(): Promise<void> {
      const line = await this.parseLine(DeclaredCommand as unknown as { endpoint: E; args: A; flags: F });
      await using app = line.app;
      await run({ ...line, app });
    }
  }
  return Object.assign(DeclaredCommand, { args: {}, flags: {}, ...declaration });
}

/** A pipe named here is read at the start, because a later read would block and ignore signals. */
const FILE_VARIABLES = [
  'SVC_API_KEY_FILE',
  'SVC_STATE_FILE',
  'SVC_STATE_PASSWORD_FILE',
  'SVC_STATE_KEY_FILE',
  'SVC_INTO_PASSWORD_FILE',
];
const FILE_FLAGS = ['ca-file', 'secret-file', 'data-file'];
const PIPE_MAX_BYTES = 1024 * 1024 + 1;

async function readNamedPipes(
  { env, signal }: Pick<Ports, 'env' | 'signal'>,
  flags: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { data } = flags;
  const paths = [...FILE_VARIABLES.map((name) => env[name]), ...FILE_FLAGS.map((name) => flags[name])];
  if (typeof data === 'string' && data.startsWith('@')) paths.push(data.slice(1));
  for (const path of paths) {
    if (typeof path !== 'string' || path === '') continue;
    await bufferNamedPipe(path, PIPE_MAX_BYTES, signal).catch((error: unknown) => {
      throw diskFailure('read', path, error);
    });
  }
}
