import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Issue } from '../../common/problem/common-problems.js';
import { issuesOf } from './argument-issues.js';
import type { Tool } from './tool.js';

/** Formats are documented and not checked here: the API reads such text itself, and the two must not differ. */
const OPTIONS = { strict: true, validateFormats: false, addUsedSchema: false, verbose: true };
const forVerdict = new Ajv2020(OPTIONS);
const forAll = new Ajv2020({ ...OPTIONS, allErrors: true });

/**
 * With more values than this only the first error is reported: a list of a million wrong items would make a million.
 */
const MANY_VALUES = 2000;

interface Validators {
  verdict: ValidateFunction;
  all?: ValidateFunction;
}
const compiled = new WeakMap<Tool, Validators>();

/** What of the arguments does not match the tool's input schema; empty when all does. */
export function schemaIssues(tool: Tool, params: object): Issue[] {
  const validators = validatorsOf(tool);
  if (validators.verdict(params)) return [];
  if (!hasFewValues(params)) return issuesOf(tool, errorsOf(validators.verdict));
  validators.all ??= forAll.compile(tool.definition.inputSchema);
  validators.all(params);
  return issuesOf(tool, errorsOf(validators.all));
}

const errorsOf = (validate: ValidateFunction): ErrorObject[] => validate.errors ?? [];

/** Compiled at the first call of the tool: a process that serves a few tools does not pay for all. */
function validatorsOf(tool: Tool): Validators {
  const known = compiled.get(tool);
  if (known) return known;
  const made: Validators = { verdict: forVerdict.compile(tool.definition.inputSchema) };
  compiled.set(tool, made);
  return made;
}

function hasFewValues(root: object): boolean {
  const open: unknown[] = [root];
  let values = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const members: unknown[] = Object.values(value);
    values += members.length;
    if (values > MANY_VALUES) return false;
    open.push(...members.filter((member) => typeof member === 'object' && member !== null));
  }
  return true;
}
