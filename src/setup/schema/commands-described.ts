import type { CommandEntry } from '../../command/command.js';
import { exitCodesOf, EXIT_MEANINGS } from '../../command/help/exit-codes.js';
import { type DeclaredArgument, type DeclaredFlag, globalFlags } from '../../command/line/flags.js';
import { commandId, type Vocabulary } from '../../command/line/vocabulary.js';
import { VERSION } from '../../runtime/version.js';
import { everyOf, type JsonSchema, members, ref, relocateRefs } from '../../contract/openapi/json-schema.js';
import { resultNameOf } from '../../contract/openapi/openapi.js';
import type { OutputForm } from '../../command/shape-names.js';
import { SHAPES } from './shapes.js';
import { text, textOrNull } from '../../contract/openapi/words.js';

const DETAIL = members(
  {
    field: text,
    code: text,
    hint: { ...textOrNull, description: 'How to repair it' },
    example: { ...textOrNull, description: 'A value that is taken' },
    flag: { ...textOrNull, description: 'The flag that sets it' },
  },
  ['field', 'code'],
);

const ERROR: JsonSchema = everyOf({
  error: everyOf({
    code: text,
    message: text,
    details: { anyOf: [{ type: 'array', items: DETAIL }, { type: 'null' }] },
    status: { type: ['integer', 'null'] },
    exit_code: { type: 'integer', enum: Object.keys(EXIT_MEANINGS).map(Number).filter(Boolean) },
    outcome: { type: 'string', enum: ['not_sent', 'sent', 'unknown'] },
    retryable: { type: 'boolean' },
    idempotency_key: textOrNull,
    request_id: textOrNull,
    next_command: textOrNull,
  }),
});

const FORM_TEXTS = {
  json: 'One value of JSON. With --output ndjson a list is its elements, a line each.',
  ndjson: 'Values of JSON, a line each.',
  text: 'No JSON.',
  none: 'Nothing.',
} as const;

export function describeCommands(entries: readonly CommandEntry[], vocabulary: Vocabulary): JsonSchema {
  const commands = entries.map(([id, command]) => ({
    id,
    aliases: aliasesOf(id, vocabulary),
    summary: command.summary ?? null,
    description: command.description ?? null,
    endpoint: command.endpoint,
    arguments: Object.entries<DeclaredArgument>(command.args).map(([name, argument]) => ({
      name,
      required: argument.required === true,
      description: argument.description ?? null,
      ...valuesOf(argument),
    })),
    flags: flagsOf(command.flags),
    needs: command.needs,
    words_behind_dashes: command.words,
    place_flags: command.heeds,
    exit_codes: exitCodesOf(command),
    ...printedOf(command),
    variants: Object.entries(command.printsWith).map(([trigger, printed]) => ({
      with: trigger,
      ...outputOf(printed),
    })),
    examples: command.examples,
  }));
  const document = {
    svc: VERSION,
    exit_codes: Object.entries(EXIT_MEANINGS).map(([code, meaning]) => ({ code: Number(code), meaning })),
    forms: FORM_TEXTS,
    error: ERROR,
    schemas: SHAPES,
    global_flags: [...flagsOf(globalFlags), ...flagsOf(UNDECLARED_FLAGS)],
    commands,
  };
  return relocateRefs('#/schemas/', document as unknown as Readonly<Record<string, JsonSchema>>);
}

const UNDECLARED_FLAGS: Readonly<Record<string, DeclaredFlag>> = {
  help: { type: 'boolean', char: 'h', summary: 'Show help' },
  version: { type: 'boolean', char: 'v', summary: 'Print the version; before any command' },
};

function aliasesOf(id: string, { aliases, plurals }: Vocabulary): string[] {
  const spellings = [id, ...[...aliases].flatMap(([alias, aliasedId]) => (aliasedId === id ? [alias] : []))];
  const singulars = spellings.flatMap((words) => {
    const [noun = '', verb = ''] = words.split(' ');
    return [...plurals].flatMap(([singular, plural]) => (plural === noun ? [commandId(singular, verb)] : []));
  });
  return [...spellings.slice(1), ...singulars];
}

interface Output {
  readonly form: keyof typeof FORM_TEXTS;
  readonly answers: JsonSchema | null;
  readonly text?: string;
}

function printedOf({ prints, endpoint, id }: CommandEntry[1]): Output {
  if (prints !== 'answer') return outputOf(prints);
  if (endpoint === null) throw new TypeError(`nothing says what ${id} prints`);
  return outputOf(resultNameOf(endpoint));
}

function outputOf(outputForm: OutputForm): Output {
  if (outputForm === 'nothing') return { form: 'none', answers: null };
  if (typeof outputForm === 'string') return { form: 'json', answers: ref(outputForm) };
  if ('text' in outputForm) return { form: 'text', answers: null, text: outputForm.text };
  const [firstRef, ...otherRefs] = outputForm.lines.map(ref);
  return {
    form: 'ndjson',
    answers: otherRefs.length === 0 ? (firstRef ?? {}) : { anyOf: [firstRef, ...otherRefs] },
  };
}

function flagsOf(flags: Readonly<Record<string, DeclaredFlag>>): JsonSchema[] {
  return Object.entries(flags).map(([name, flag]) => ({
    name: `--${name}`,
    short: flag.char === undefined ? null : `-${flag.char}`,
    summary: flag.summary ?? null,
    value: flag.type === 'boolean' ? null : String(flag.helpValue ?? 'TEXT'),
    required: flag.required === true,
    repeatable: flag.multiple === true,
    hidden: flag.hidden === true,
    default: typeof flag.default === 'string' || typeof flag.default === 'boolean' ? flag.default : null,
    ...valuesOf(flag),
  }));
}

function valuesOf({ options, offered, takes }: DeclaredArgument): JsonSchema {
  return {
    choices: options ?? null,
    ...(offered === undefined ? {} : { offered }),
    ...(takes === undefined ? {} : { takes }),
  };
}
