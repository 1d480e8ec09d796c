/** The comparison itself: by each name in its order what is plain, then by each what is left, then what belongs to nothing. */
import type { WorkFile } from '../../runtime/work-file.js';
import { MATCH_KEYS, type MatchKey } from '../finding.js';
import { FAILED } from './entries.js';
import { fittingOf, type Fitting } from './fitting.js';
import type { LineDefaults, Met } from './gathered.js';
import { outcomeOf, plainPairs } from './group.js';
import { agree, isFree, type Members, type Pair } from './member.js';
import { coverings, type Covering } from './sets.js';
import { placeContradictions } from './contradicting.js';
import { suggestAlone } from './suggesting.js';
import { placeCrowd, settleAlone } from './alone.js';
import type { Recording } from './recording.js';
import type { MatchRules } from '../rules.js';
import type { MatchStanding } from './standing.js';
import { walkGroups } from './walk.js';

export interface Settling {
  readonly file: WorkFile;
  readonly standing: MatchStanding;
  readonly recording: Recording;
  readonly rules: MatchRules;
  readonly defaults: LineDefaults;
}

/** What the first name says is what counts. */
const NOTE = 'INSERT INTO note VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';

/** Places every line and every operation; what it yields is nothing, so that others can have their turn. */
export function* settleAll(settling: Settling): Generator<null> {
  const { standing, rules } = settling;
  const fitting = fittingOf(rules);
  const left: MatchKey[] = [];
  for (const key of MATCH_KEYS) {
    if (standing.open('here') === 0 || standing.open('there') === 0) left.push(key);
    else if (yield* settlePlain(settling, key, fitting)) left.push(key);
  }
  for (const key of left) {
    if (standing.open('here') + standing.open('there') > 0) yield* settleRest(settling, key, fitting);
  }
  yield* settleAlone(settling);
  placeContradictions(settling.file, settling.recording, settling.defaults.currency);
  suggestAlone(settling.file, settling.defaults, rules.days);
}

/** Answers whether anything that shares a name is left. */
function* settlePlain(settling: Settling, by: MatchKey, fitting: Fitting): Generator<null, boolean> {
  let isLeft = false;
  for (const met of groupsOf(settling, by)) {
    if (met === null) yield null;
    else if (met.kind === 'crowd') isLeft = true;
    else {
      pairAll(settling, plainPairs(met.group, by, fitting), by, fitting);
      isLeft ||= [...met.group.lines, ...met.group.operations].some(isFree);
    }
  }
  return isLeft;
}

function* settleRest(settling: Settling, by: MatchKey, fitting: Fitting): Generator<null> {
  const { recording } = settling;
  for (const met of groupsOf(settling, by)) {
    if (met === null) {
      yield null;
    } else if (met.kind === 'crowd') {
      placeCrowd(settling, met, by);
    } else {
      const outcome = outcomeOf(met.group, by, fitting);
      pairAll(settling, outcome.pairs, by, fitting);
      for (const { lines, operations } of outcome.ambiguous)
        recording.place({
          ...{ class: 'ambiguous', by, lines, operations },
          suggestion: onlyCovering({ lines, operations }),
        });
      for (const [line, operation] of outcome.repeatedLines)
        recording.place({
          ...{ class: 'duplicate_here', by, lines: [line], operations: [] },
          ...{ tolerances: fitting.fit(line, operation) ?? [], beside: [operation.partner, operation.row] },
        });
      for (const [line, operation] of outcome.repeatedOperations)
        recording.place({
          ...{ class: 'duplicate_there', by, lines: [], operations: [operation] },
          ...{ tolerances: fitting.fit(line, operation) ?? [], beside: [line.row, line.partner] },
        });
      for (const [line, operation] of outcome.besideLines)
        settling.file.run(NOTE, 1, line.row, operation.partner, operation.row);
      for (const [line, operation] of outcome.besideOperations)
        settling.file.run(NOTE, 0, operation.row, line.row, line.partner);
    }
  }
}

function pairAll({ recording }: Settling, pairs: readonly Pair[], by: MatchKey, { verdict }: Fitting): void {
  for (const [line, operation] of pairs)
    recording.pair({ ...verdict(line, operation), by, lines: [line], operations: [operation] });
}

function groupsOf({ file, standing, defaults }: Settling, by: MatchKey): Iterable<Met | null> {
  return walkGroups(file, by, standing, defaults);
}

/** Where two sums fit, neither is plain. */
function onlyCovering({ lines, operations: all }: Members): Covering | undefined {
  const operations = all.filter(({ status }) => status !== FAILED);
  const [only, ...others] = coverings(lines, operations, {
    toLine: (line) => operations.filter((one) => agree(line, one)),
    toOperation: (one) => lines.filter((line) => agree(line, one)),
  });
  return others.length === 0 ? only : undefined;
}
