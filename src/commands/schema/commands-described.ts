/** The commands of `svc` as one value of JSON, for an editor, a completion or a program that writes command lines: made of their declarations. */
import type { Entry } from '../../cli/command.js';
import { exitCodesOf, EXIT_MEANINGS } from '../../cli/help/exit-codes.js';
import { type DeclaredArgument, type DeclaredFlag, globalFlags } from '../../cli/line/flags.js';
import { VERSION } from '../../runtime/version.js';
import { COMPONENTS } from '../../schema/components.js';
import { type JsonSchema, members, within } from '../../schema/json-schema.js';
import { resultNameOf } from '../../schema/openapi.js';

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;

/** The one line of JSON on standard error with which a command ends that failed, where that is no terminal. */
const ERROR: JsonSchema = members(
  {
    error: members(
      {
        code: text,
        message: text,
        details: {
          anyOf: [
            { type: 'array', items: members({ field: text, code: text }, ['field', 'code']) },
            { type: 'null' },
          ],
        },
        status: { type: ['integer', 'null'] },
        exit_code: { type: 'integer', enum: Object.keys(EXIT_MEANINGS).map(Number).filter(Boolean) },
        outcome: { type: 'string', enum: ['not_sent', 'sent', 'unknown'] },
        retryable: { type: 'boolean' },
        idempotency_key: textOrNull,
        request_id: textOrNull,
        next_command: textOrNull,
      },
      [
        ...['code', 'message', 'details', 'status', 'exit_code', 'outcome', 'retryable'],
        ...['idempotency_key', 'request_id', 'next_command'],
      ],
    ),
  },
  ['error'],
);

/** @param entries every command */
export function describeCommands(entries: readonly Entry[]): JsonSchema {
  const commands = entries.map(([id, command]) => ({
    id,
    summary: command.summary ?? null,
    description: command.description ?? null,
    endpoint: command.endpoint,
    arguments: Object.entries(command.args).map(described),
    flags: flagsOf(command.flags),
    needs: command.needs,
    words_behind_dashes: command.words,
    place_flags: command.heeds,
    exit_codes: exitCodesOf(command),
    answers: command.endpoint === null ? null : { $ref: `#/schemas/${resultNameOf(command.endpoint)}` },
    examples: command.examples,
  }));
  return {
    svc: VERSION,
    exit_codes: Object.entries(EXIT_MEANINGS).map(([code, meaning]) => ({ code: Number(code), meaning })),
    error: ERROR,
    schemas: within('#/schemas/', COMPONENTS),
    global_flags: flagsOf(globalFlags),
    commands,
  };
}

function described([name, argument]: readonly [string, DeclaredArgument]): JsonSchema {
  return {
    name,
    required: argument.required === true,
    description: argument.description ?? null,
    ...valuesOf(argument),
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
    ...valuesOf(flag),
  }));
}

/** The choices, or what completes it; `offered` are some of many. */
function valuesOf({ options, offered, takes }: DeclaredArgument): JsonSchema {
  return {
    choices: options ?? null,
    ...(offered === undefined ? {} : { offered }),
    ...(takes === undefined ? {} : { takes }),
  };
}
