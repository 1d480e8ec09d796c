import { COMMAND_IDS, REGISTRY, VOCABULARY } from '../../src/registry.js';
import { describeCommands } from '../../src/setup/schema/commands-described.js';
import type { JsonSchema } from '../../src/contract/openapi/json-schema.js';
import { complaintsOf } from './contract-check.js';

export interface SaidOutput {
  readonly form: 'json' | 'ndjson' | 'text' | 'none';
  readonly answers: JsonSchema | null;
}

export interface SaidFlag {
  readonly name: string;
  readonly short: string | null;
  readonly value: string | null;
  readonly choices: readonly string[] | null;
  readonly hidden: boolean;
  readonly default: unknown;
}

export interface SaidCommands {
  readonly commands: readonly (SaidOutput & {
    readonly id: string;
    readonly aliases: readonly string[];
    readonly arguments: readonly { readonly name: string }[];
    readonly flags: readonly SaidFlag[];
    readonly variants: readonly (SaidOutput & { readonly with: string })[];
  })[];
  readonly global_flags: readonly SaidFlag[];
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

export async function saidCommands(): Promise<SaidCommands> {
  const entries = await Promise.all(COMMAND_IDS.map(async (id) => [id, await REGISTRY[id]()] as const));
  return JSON.parse(JSON.stringify(describeCommands(entries, VOCABULARY))) as SaidCommands;
}

export function outputOf(said: SaidCommands, id: string, argv: readonly string[]): SaidOutput | null {
  const command = said.commands.find((one) => one.id === id)!;
  const end = argv.indexOf('--');
  const typed = argv.slice(id.split(' ').length, end === -1 ? argv.length : end);
  if (typed.includes('--jq') || typed.join(' ').includes('-o csv')) return null;
  const valued = [...command.flags, ...said.global_flags].filter(({ value }) => value !== null);
  const takesValue = (word = ''): boolean =>
    valued.some(({ name, short }) => word === name || word === short);
  const values = typed.filter((word, at) => !word.startsWith('-') && !takesValue(typed[at - 1]));
  const line = typed.map((word) => (word === '-o' ? '--output' : word)).join(' ');
  const isTyped = (words: string): boolean =>
    words.startsWith('--')
      ? ` ${line} `.includes(` ${words} `)
      : values.length > command.arguments.findIndex(({ name }) => name.toUpperCase() === words);
  return command.variants.find((one) => isTyped(one.with)) ?? command;
}

export function printedComplaints(
  { schemas }: Pick<SaidCommands, 'schemas'>,
  { form, answers }: SaidOutput,
  stdout: string,
): string[] {
  if (form === 'text') return [];
  if (form === 'none') return stdout === '' ? [] : ['it prints something'];
  const values = form === 'json' ? [stdout] : stdout.split('\n').filter((line) => line !== '');
  return values.flatMap((value) => complaintsOf({ ...answers, schemas }, JSON.parse(value)));
}
