import type { Bank, Capabilities, FieldDescriptor, MethodEntry } from '../../contract/catalog.js';
import { checkAmount, checkFields } from '../../contract/create.js';
import { correctIdentifiers } from '../../contract/identifiers.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import { amountExample, amountRange } from '../../contract/create-details.js';
import type { State } from './dialogue.js';
import { entryOf, placeQuestions } from './places.js';
import type { Answers } from './port.js';
import { choiceQuestion, type Question } from './question.js';

type QuestionInput = Pick<State, 'setting' | 'answers' | 'banks'>;

export function questionsOf({ setting, answers, banks }: QuestionInput): Question[] {
  const { catalog } = setting;
  if (catalog === null) return [];
  const entry = entryOf(setting, answers);
  const bankList = banks !== null && banks.key === banksKey(answers) ? banks.list : [];
  const party = partyOf(setting.direction);
  const fields = (entry?.fields ?? []).filter(
    ({ name, required }) => required || answers[`${party}.${name}`] !== undefined,
  );
  return [
    ...placeQuestions(setting, answers),
    ...(entry === null ? [] : [amountQuestion(catalog, entry)]),
    ...fields.map((field) => {
      const question = fieldQuestion(field, setting.direction, bankList);
      const { path } = question;
      const correction = (typed: string): string | undefined => {
        const textAt = (otherPath: string): string =>
          otherPath === path ? typed : (answers[otherPath] ?? '');
        return correctIdentifiers(catalog, setting.direction, textAt).find((one) => one.field === path)
          ?.value;
      };
      return { ...question, correction };
    }),
  ];
}

export function banksKey({ country, method }: Answers): string | null {
  return country === undefined || method === undefined ? null : `${country} ${method}`;
}

function amountQuestion(catalog: Capabilities, entry: MethodEntry): Question {
  const country = catalog.countries.find(({ code }) => code === entry.country);
  const decimals = country?.currencies.find(({ code }) => code === entry.currency)?.decimals ?? 0;
  const { currency } = entry;
  const example = amountExample(entry, decimals);
  return {
    path: 'amount',
    label: `Amount in ${currency}`,
    options: null,
    example,
    rule: `Enter ${amountRange(entry, decimals)}, for example ${example}`,
    accepts: (value) => checkAmount(value, entry, decimals) === null,
  };
}

function fieldQuestion(field: FieldDescriptor, direction: Direction, banks: readonly Bank[]): Question {
  const path = `${partyOf(direction)}.${field.name}`;
  const labelText = LABELS[field.name] ?? field.name.replaceAll(/[._]/g, ' ');
  const label = labelText.charAt(0).toUpperCase() + labelText.slice(1);
  if (field.name === 'bank_code' && banks.length > 0) {
    return choiceQuestion(
      path,
      label,
      banks.map(({ code, name }) => ({ value: code, label: name })),
    );
  }
  const accepts = (value: string): boolean =>
    checkFields(partyOf(direction), nestedValue(field.name.split('.'), value), [field]).length === 0;
  if (field.enum !== undefined) {
    const options = field.enum.map((value) => ({ value, label: '' }));
    return { ...choiceQuestion(path, label, options), accepts };
  }
  const example = field.example ?? null;
  const pattern = field.pattern === undefined ? 'Enter a value' : `Enter text of the form ${field.pattern}`;
  const rule = field.type === 'date' ? 'Enter a day, for example 2026-01-31' : pattern;
  return {
    ...{ path, label, options: null, example, accepts },
    rule: example === null ? rule : `Example: ${example}`,
  };
}

const LABELS: Readonly<Record<string, string>> = { bank_code: 'Bank', 'document.type': 'Document type' };

function nestedValue(path: readonly string[], value: string): unknown {
  const [name, ...innerPath] = path;
  return name === undefined ? value : { [name]: nestedValue(innerPath, value) };
}
