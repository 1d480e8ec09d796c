import { heldBy } from './mutant.js';

const language = heldBy('contract/openapi/openapi', 'contract/openapi/create-body');
const published = heldBy('contract/openapi/openapi', 'setup/schema/commands');
const body = heldBy('contract/openapi/create-body');

/** @type {readonly import('./mutant.js').Mutant[]} */
export const schema = [
  language('closedObject', 'a body is open for members that the service refuses', [
    ', additionalProperties: false',
    '',
  ]),
  language('closedObject', 'no member of a body is required', [
    "typeof member === 'function' ? [name] : []",
    '[]',
  ]),
  language('schemaOf', 'the pattern of a text is left out', [
    'pattern === undefined ? {} : { pattern: pattern.source }',
    '{}',
  ]),
  language('schemaOf', 'words are any text', ["{ type: 'string', enum: [...words] }", "{ type: 'string' }"]),
  published('selfContained', 'what a schema refers to stays in another document', [
    '`#/$defs/${name}`',
    '`${COMPONENT_PREFIX}${name}`',
  ]),
  published('errorsOf', 'a status that the contract lists is not published', [
    'const statusCodes = codes.filter((code) => ERRORS[code].status === status);',
    "const statusCodes = codes.filter((code) => ERRORS[code].status === status && code !== 'not_found');",
  ]),
  published('parametersOf', 'a create needs no idempotency key', [
    "retry === 'keyed' ? [keyParameter] : []",
    "retry === 'safe' ? [keyParameter] : []",
  ]),
  body('createBodySchema', 'a method takes what others take', [
    'methods?.includes(entry.code) === false ? [] : [name]',
    '[name]',
  ]),
  body('createBodySchema', 'an amount has any number of decimals', ['{1,${String(decimals)}}', '+']),
  body('groupSchema', 'nothing in a party is required', ['hasRequiredField(child) ? [name] : []', '[]']),
  body('groupSchema', 'a party is open', [', additionalProperties: false', '']),
  body('groupSchema', 'a group that holds what is required may be absent', [
    'hasRequiredField(child) ?',
    'child.descriptor?.required === true ?',
  ]),
  body('leafSchema', 'a field takes what its pattern does not match', [
    "pattern === undefined ? {} : { [isEcmaScript(pattern) ? 'pattern' : 'x-pattern']: pattern }",
    '{}',
  ]),
  body('leafSchema', 'a field takes words that it does not name', [
    'words === undefined ? {} : { enum: [...words] }',
    '{}',
  ]),
  body('leafSchema', 'a field may be empty', ['minLength: 1,', '']),
];
