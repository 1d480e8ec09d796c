/** What a create and a batch take on the command line: a flag for each row of the table of body fields, and how the request is sent. */
import * as Flags from '@oclif/core/flags';
import { fieldsIn, fieldsOf, flagNameOf, type NameOf, type BodyField } from '../../contract/body-fields.js';
import { type Direction, METHOD_CODES, METHODS } from '../../contract/operation.js';
import { assignment, type Assignment, numberAssignment, objectAssignment, pathAssignments } from './body.js';
import { dataFlags, grouped, newPaymentFlag, takes, waitFlags } from './flags.js';

type Flag = Pick<BodyField['flag'], 'value' | 'takes'>;
const valueOf = ({ value = '', takes: taken }: Flag) =>
  taken === undefined ? { helpValue: value } : takes(taken);
const one = (summary: string, flag: Flag) => Flags.string({ summary, ...valueOf(flag) });
const many = (summary: string, flag: Flag) =>
  Flags.string({ summary, multiple: true, multipleNonGreedy: true, ...valueOf(flag) });
type One = ReturnType<typeof one>;
type Many = ReturnType<typeof many>;

type Of = BodyField['of'];
type Given = Readonly<Record<string, unknown>>;
type Dashed<Name> = Name extends `${infer Head}_${infer Rest}` ? `${Head}-${Dashed<Rest>}` : Name;
type FlagOf<Like> = Dashed<NameOf<Like>>;
type Repeated<O extends Of> = FlagOf<{ of: O; holds: 'parts' | 'anything' }>;
type Whole<O extends Of> = `${FlagOf<{ of: O; holds: 'anything' }>}-json`;
type BodyFlags<O extends Of> = {
  [Name in FlagOf<{ of: O }> | Whole<O>]: Name extends Repeated<O> ? Many : One;
};
type AllRowsFlags<O extends Of> = Record<FlagOf<{ of: O; ofAllRows: string }>, One>;

/** The flags of the fields that one create has alone, or that both have. */
function bodyFlags<O extends Of>(of: O): BodyFlags<O> {
  const flags = fieldsOf(of).flatMap(([name, { flag, holds }]): [string, One | Many][] => {
    const own = flagNameOf(name);
    if (holds === 'text' || holds === 'number') return [[own, one(flag.summary, flag)]];
    if (holds === 'parts') return [[own, many(flag.summary, flag)]];
    return [
      [own, many(flag.summary, flag)],
      [`${own}-json`, one(`All of ${name}, as a JSON object`, { value: 'JSON' })],
    ];
  });
  return Object.fromEntries(flags) as BodyFlags<O>;
}

/** What the flags of a create put into its body, in the order of the table. @throws Failure `usage` */
export function bodyAssignments(direction: Direction, flags: Given): Assignment[] {
  return fieldsIn(direction).flatMap(([name, { holds }]) => {
    const flag = flagNameOf(name);
    const text = textOf(flags, flag);
    if (holds === 'text') return assignment(`--${flag}`, name, text);
    if (holds === 'number') return numberAssignment(`--${flag}`, name, text);
    const texts = flags[flag] as readonly string[] | undefined;
    if (holds === 'parts') return pathAssignments(`--${flag}`, [name], texts);
    const whole = objectAssignment(`--${flag}-json`, name, textOf(flags, `${flag}-json`));
    return [...whole, ...pathAssignments(`--${flag}`, [name], texts).map(inOneName)];
  });
}

/** A key of metadata is one name: its dots are its own. */
function inOneName({ path: [top = '', ...name], ...rest }: Assignment): Assignment {
  return { ...rest, path: [top, name.join('.')] };
}

/** The flags of a batch for what its rows do not say themselves. */
export function allRowsFlags<O extends Of>(of: O): AllRowsFlags<O> {
  const flags = fieldsOf(of).flatMap(([name, { flag, ofAllRows }]): [string, One][] =>
    ofAllRows === undefined ? [] : [[flagNameOf(name), one(ofAllRows, flag)]],
  );
  return Object.fromEntries(flags) as AllRowsFlags<O>;
}

/** What these flags say, by the names of the fields. */
export function saidOfAllRows(direction: Direction, flags: Given): Record<string, string | undefined> {
  const fields = fieldsIn(direction).filter(([, { ofAllRows }]) => ofAllRows !== undefined);
  return Object.fromEntries(fields.map(([name]) => [name, textOf(flags, flagNameOf(name))]));
}

function textOf(flags: Given, name: string): string | undefined {
  return flags[name] as string | undefined;
}

/** The method, of those by which money goes that way. */
export function methodFlag(direction: Direction, before = ''): One {
  const codes = METHOD_CODES.filter((code) => METHODS[code].direction === direction);
  return Flags.string({ summary: `${before}${codes.join(', ')}`, ...takes(`${direction}-method`) });
}

/** What both kinds of create take. */
const paidFlags = grouped('WHAT IS PAID', bodyFlags('both'));
const safetyFlags = grouped('SAFETY', {
  'dry-run': Flags.boolean({ summary: 'Check and print the request; send nothing' }),
  'idempotency-key': Flags.string({
    summary: 'Key, 8 to 128 characters [default: svc makes one]',
    helpValue: 'KEY',
  }),
  'new-payment': newPaymentFlag,
  'new-since': Flags.string({ summary: 'Ignore payments made before TIME', helpValue: 'TIME' }),
  'as-live': Flags.boolean({ summary: 'In the sandbox too, refuse a paid reference' }),
});
const sentFlags = grouped('HOW IT IS SENT', {
  ...dataFlags,
  interactive: Flags.boolean({ char: 'i', summary: 'Ask for everything at the terminal' }),
  ...waitFlags,
});

export const createFlags = { ...paidFlags, ...sentFlags, ...safetyFlags };

/** What only a pay-in takes. */
export const payinFlags = {
  ...createFlags,
  ...grouped('WHAT IS PAID', { method: methodFlag('payin'), ...bodyFlags('payin') }),
};

/** What only a payout takes. */
export const payoutFlags = {
  ...createFlags,
  ...grouped('WHAT IS PAID', { method: methodFlag('payout'), ...bodyFlags('payout') }),
};
