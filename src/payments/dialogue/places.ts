import { type Capabilities, type MethodEntry, methodsIn } from '../../contract/catalog.js';
import type { Setting } from './dialogue.js';
import type { Answers } from './port.js';
import { choiceQuestion, type Question } from './question.js';

export function placeQuestions(setting: Setting, answers: Answers): Question[] {
  return placesAsked(setting, answers).filter(({ path, options }) => !isDecided(path, options));
}

export function decidedAnswers(setting: Setting, answers: Answers): Answers {
  let allAnswers = answers;
  for (const path of ['country', 'currency']) {
    const question = placesAsked(setting, allAnswers).find((place) => place.path === path);
    const [onlyOption] = question?.options ?? [];
    if (question !== undefined && onlyOption !== undefined && isDecided(path, question.options))
      allAnswers = { ...allAnswers, [path]: onlyOption.value };
  }
  return allAnswers;
}

export function entryOf(setting: Setting, answers: Answers): MethodEntry | null {
  return entriesOf(setting, answers).find(({ code }) => code === answers['method']) ?? null;
}

function placesAsked(setting: Setting, answers: Answers): Question[] {
  const { catalog, toAsk } = setting;
  if (catalog === null) return [];
  return ['country', 'currency', 'method']
    .filter((path) => toAsk.includes(path))
    .map((path) => placeQuestion(path, catalog, setting, answers));
}

/** The method is asked even if there is only one, because the question tells the person what will happen. */
function isDecided(path: string, options: Question['options']): boolean {
  return path !== 'method' && options?.length === 1;
}

function entriesOf({ catalog, direction }: Setting, { country, currency }: Answers): MethodEntry[] {
  const matches = (wanted: string | undefined, actual: string): boolean =>
    wanted === undefined || wanted.toUpperCase() === actual;
  return (catalog?.countries ?? [])
    .filter(({ code }) => matches(country, code))
    .flatMap((place) => methodsIn(place, direction))
    .filter((entry) => matches(currency, entry.currency) && entry.availability === 'available');
}

function placeQuestion(path: string, catalog: Capabilities, setting: Setting, answers: Answers): Question {
  // A question depends only on the ones before it, so that no answered question disappears.
  const fixedMethod = setting.toAsk.includes('method') ? undefined : answers['method'];
  const entriesFor = (fixedAnswers: Answers): MethodEntry[] =>
    entriesOf(setting, fixedAnswers).filter(({ code }) => fixedMethod === undefined || code === fixedMethod);
  const { country, currency } = answers;
  const countryAnswer = country === undefined ? {} : { country };
  const options =
    path === 'country'
      ? distinctValues(entriesFor({}).map((entry) => entry.country)).map((code) => ({
          value: code,
          label: catalog.countries.find((candidate) => candidate.code === code)?.name ?? code,
        }))
      : path === 'currency'
        ? distinctValues(entriesFor(countryAnswer).map((entry) => entry.currency)).map((code) => ({
            value: code,
            label: '',
          }))
        : entriesFor({ ...countryAnswer, ...(currency === undefined ? {} : { currency }) }).map(
            ({ code, name }) => ({
              value: code,
              label: name,
            }),
          );
  const label = path.charAt(0).toUpperCase() + path.slice(1);
  return choiceQuestion(path, label, options);
}

function distinctValues(values: readonly string[]): string[] {
  return [...new Set(values)];
}
