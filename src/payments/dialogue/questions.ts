import {
  type Bank,
  type Capabilities,
  type Defaults,
  type FieldDescriptor,
  matchesCode,
  type MethodEntry,
  methodsIn,
} from '../../contract/catalog.js';
import { checkAmount, checkFields } from '../../contract/create.js';
import { correctIdentifiers } from '../../contract/identifiers.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import { amountExample, amountRange } from '../../contract/create-details.js';
import type { State, Answers, Setting } from './dialogue.js';

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
      const correct = (typed: string): string | undefined => {
        const textAt = (otherPath: string): string =>
          otherPath === path ? typed : (answers[otherPath] ?? '');
        return correctIdentifiers(catalog, setting.direction, textAt).find((one) => one.field === path)
          ?.value;
      };
      return { ...question, correct };
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

export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface Question {
  readonly path: string;
  readonly label: string;
  readonly options: readonly Option[] | null;
  readonly example: string | null;
  readonly rule: string;
  readonly correct?: (typed: string) => string | undefined;
  readonly accepts: (value: string) => boolean;
}

export function intendedValue({ accepts, correct }: Question, typed: string): string {
  const text = typed.trim();
  return accepts(text) ? text : (correct?.(text) ?? text);
}

export function matchingOptions(options: readonly Option[], typed: string): readonly Option[] {
  const typedText = comparableText(typed.trim());
  return options.filter(({ value, label }) => comparableText(`${value} ${label}`).includes(typedText));
}

function comparableText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\s\p{Pd}]+/gu, ' ')
    .toLowerCase();
}

function choiceQuestion(path: string, label: string, options: readonly Option[]): Question {
  const accepts = (value: string): boolean => options.some((option) => option.value === value);
  return { path, label, options, example: null, rule: 'one of the list', accepts };
}

function placeQuestions(setting: Setting, answers: Answers): Question[] {
  return allPlaceQuestions(setting, answers).filter(({ path, options }) => !isDecided(path, options));
}

export function decidedAnswers(setting: Setting, answers: Answers): Answers {
  let allAnswers = answers;
  for (const path of ['country', 'currency']) {
    const question = allPlaceQuestions(setting, allAnswers).find((one) => one.path === path);
    const [onlyOption] = question?.options ?? [];
    if (question !== undefined && onlyOption !== undefined && isDecided(path, question.options))
      allAnswers = { ...allAnswers, [path]: onlyOption.value };
  }
  return allAnswers;
}

export function entryOf(setting: Setting, answers: Answers): MethodEntry | null {
  return entriesOf(setting, answers).find(({ code }) => code === answers['method']) ?? null;
}

function allPlaceQuestions(setting: Setting, answers: Answers): Question[] {
  const { catalog, toAsk } = setting;
  if (catalog === null) return [];
  return ['country', 'currency', 'method']
    .filter((path) => toAsk.includes(path))
    .map((path) => placeQuestion(path, catalog, setting, answers));
}

function isDecided(path: string, options: Question['options']): boolean {
  return path !== 'method' && options?.length === 1;
}

export function entriesOf(
  { catalog, direction }: Pick<Setting, 'catalog' | 'direction'>,
  { country, currency }: Defaults,
): MethodEntry[] {
  return (catalog?.countries ?? [])
    .filter(({ code }) => matchesCode(country, code))
    .flatMap((countryEntry) => methodsIn(countryEntry, direction))
    .filter((entry) => matchesCode(currency, entry.currency) && entry.availability === 'available');
}

function placeQuestion(path: string, catalog: Capabilities, setting: Setting, answers: Answers): Question {
  const fixedMethod = setting.toAsk.includes('method') ? undefined : answers['method'];
  const { country, currency } = answers;
  const earlierAnswers = path === 'country' ? {} : path === 'currency' ? { country } : { country, currency };
  const optionOf = (entry: MethodEntry): Option => {
    if (path === 'method') return { value: entry.code, label: entry.name };
    if (path === 'currency') return { value: entry.currency, label: '' };
    const countryEntry = catalog.countries.find(({ code }) => code === entry.country);
    return { value: entry.country, label: countryEntry?.name ?? entry.country };
  };
  const options = entriesOf(setting, earlierAnswers)
    .filter(({ code }) => fixedMethod === undefined || code === fixedMethod)
    .map(optionOf);
  const distinctOptions = [...new Map(options.map((option) => [option.value, option])).values()];
  return choiceQuestion(path, path.charAt(0).toUpperCase() + path.slice(1), distinctOptions);
}
