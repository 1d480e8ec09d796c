/**
 * Forms of JSON values: each says what is wrong with a value, and is a JSON schema of the same. To a shape (`contract/shape.ts`) a null is
 * absent, an empty text is missing, and a field has a dotted name; in a document all three are something else.
 */
import { isObject } from '../../contract/shape.js';
import type { JsonPath } from './places.js';

/** What is wrong, found so far; no more than a person reads. */
export interface Findings {
  /** Where the value stands that is looked at. */
  readonly path: (string | number)[];
  /** @param at beneath that value */
  add(text: string, ...at: (string | number)[]): void;
  /** How many there are. */
  readonly count: () => number;
  readonly isFull: () => boolean;
}

export interface Misfit {
  readonly path: JsonPath;
  readonly text: string;
}

export const FINDINGS_MAX = 10;

/** @param found where they are put */
export function findingsIn(found: Misfit[]): Findings {
  const path: (string | number)[] = [];
  return {
    path,
    add: (text, ...at) => {
      if (found.length < FINDINGS_MAX) found.push({ path: [...path, ...at], text });
    },
    count: () => found.length,
    isFull: () => found.length >= FINDINGS_MAX,
  };
}

export interface Form {
  check(value: unknown, findings: Findings): void;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly isOptional?: true;
}

function leaf(
  says: string,
  isFit: (value: unknown) => boolean,
  schema: Readonly<Record<string, unknown>>,
): Form {
  return {
    schema,
    check: (value, findings) => {
      if (!isFit(value)) findings.add(`${says}.`);
    },
  };
}

/** @param says completes "Must be" @param pattern of the whole text, as both JSON schema and JavaScript read it */
export function textForm(says: string, pattern: RegExp): Form {
  return leaf(`Must be ${says}`, (value) => typeof value === 'string' && pattern.test(value), {
    type: 'string',
    pattern: pattern.source,
  });
}

export const anyText = leaf('Must be a text', (value) => typeof value === 'string', { type: 'string' });
export const yesOrNo = leaf('Must be true or false', (value) => typeof value === 'boolean', {
  type: 'boolean',
});
export const uuid = textForm(
  'a uuid in lower case',
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);

export function wholeForm(least: number, most: number): Form {
  return leaf(
    `Must be a whole number from ${String(least)} to ${String(most)}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    { type: 'integer', minimum: least, maximum: most },
  );
}

export const numberForm = leaf(
  'Must be a number, 0 or more',
  (value) => Number.isFinite(value) && Number(value) >= 0,
  {
    type: 'number',
    minimum: 0,
  },
);

export function word(words: readonly (string | number)[]): Form {
  return leaf(
    `Must be ${words.map((one) => JSON.stringify(one)).join(' or ')}`,
    (value) => words.includes(value as string | number),
    { enum: words },
  );
}

const END_OF_TIME_MS = Date.UTC(9999, 11, 31);

function moment(says: string, pattern: RegExp): Form {
  return leaf(
    `Must be a time such as ${says}`,
    (value) => {
      if (typeof value !== 'string' || !pattern.test(value)) return false;
      const ms = Date.parse(value);
      // 30 February is read as 2 March: it is not the time that it says.
      return ms >= 0 && ms < END_OF_TIME_MS && new Date(ms).getUTCDate() === Number(value.slice(8, 10));
    },
    { type: 'string', pattern: pattern.source },
  );
}

/** To the second, as the service writes it. */
export const time = moment(
  '2026-11-03T14:30:00Z',
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/,
);
/** With milliseconds where there are any, as the clock of a sandbox counts. */
export const exactTime = moment(
  '2026-11-03T14:30:00.250Z',
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?Z$/,
);

export const anyMembers = leaf('Must be an object', isObject, { type: 'object' });

export function orNull(form: Form): Form {
  return {
    schema: { anyOf: [form.schema, { type: 'null' }] },
    check: (value, findings) => {
      if (value !== null) form.check(value, findings);
    },
  };
}

export function optionalForm(form: Form): Form {
  return { ...form, isOptional: true };
}

export function listOf(form: Form): Form {
  return {
    schema: { type: 'array', items: form.schema },
    check: (value, findings) => {
      if (!Array.isArray(value)) {
        findings.add('Must be a list.');
        return;
      }
      for (let index = 0; index < value.length && !findings.isFull(); index += 1) {
        findings.path.push(index);
        form.check(value[index], findings);
        findings.path.pop();
      }
    },
  };
}

/** Any names, each with a value of that form. */
export function mapForm(form: Form): Form {
  return {
    schema: { type: 'object', additionalProperties: form.schema },
    check: (value, findings) => {
      if (!isObject(value)) {
        findings.add('Must be an object.');
        return;
      }
      for (const [name, inner] of Object.entries(value)) within(findings, name, inner, form);
    },
  };
}

/** These members and no others. */
export function objectOf(members: Readonly<Record<string, Form>>, description?: string): Form {
  const entries = Object.entries(members);
  const names = Object.keys(members).join(', ');
  return {
    schema: {
      ...(description === undefined ? {} : { description }),
      type: 'object',
      additionalProperties: false,
      required: entries.filter(([, form]) => form.isOptional !== true).map(([name]) => name),
      properties: Object.fromEntries(entries.map(([name, form]) => [name, form.schema])),
    },
    check: (value, findings) => {
      if (!isObject(value)) {
        findings.add('Must be an object.');
        return;
      }
      for (const name of Object.keys(value))
        if (!Object.hasOwn(members, name)) findings.add(`Unknown name. Known names: ${names}.`, name);
      for (const [name, form] of entries) {
        if (Object.hasOwn(value, name)) within(findings, name, value[name], form);
        else if (form.isOptional !== true) findings.add(`"${name}" is missing.`);
      }
    },
  };
}

function within(findings: Findings, name: string, value: unknown, form: Form): void {
  findings.path.push(name);
  form.check(value, findings);
  findings.path.pop();
}
