import type { Drift, Json } from './drift.types.js';
import { isObject, listOf, resolve, SchemaDrift, written, type JsonObject } from './schema-drift.rules.js';

const METHODS = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options'] as const;

interface Operation {
  /** As the document names it: `POST /v1/facts/{id}`. */
  address: string;
  node: JsonObject;
  /** Of the path and of the operation. */
  parameters: Json[];
}

/** The operations of a document by method and path, whatever their parameters are called. */
function operationsOf(document: JsonObject): Map<string, Operation> {
  const found = new Map<string, Operation>();
  const paths = isObject(document.paths) ? document.paths : {};
  for (const [path, item] of Object.entries(paths)) {
    if (!isObject(item)) continue;
    for (const method of METHODS) {
      const node = item[method];
      if (!isObject(node)) continue;
      const verb = method.toUpperCase();
      const parameters = [...listOf(item.parameters), ...listOf(node.parameters)];
      found.set(`${verb} ${path.replace(/\{[^{}]*\}/g, '{}')}`, { address: `${verb} ${path}`, node, parameters });
    }
  }
  return found;
}

/** How many operations a document has. */
export const countOperations = (document: JsonObject): number => operationsOf(document).size;

/** What a client that was made for the first document meets at a server of the second. */
export function driftOf(before: JsonObject, after: JsonObject): Drift[] {
  const drift = new SchemaDrift(before, after);
  const [old, now] = [operationsOf(before), operationsOf(after)];
  for (const [key, { address }] of old)
    if (!now.has(key)) drift.add('operation.removed', address, true, 'is not served any more');
  for (const [key, operation] of now) {
    const known = old.get(key);
    if (known) compareOperations(drift, [before, after], [known, operation]);
    else drift.add('operation.added', operation.address, false, 'is new');
  }
  return drift.found.toSorted(
    (a, b) => Number(b.breaking) - Number(a.breaking) || (a.where < b.where ? -1 : a.where > b.where ? 1 : 0),
  );
}

type Documents = [JsonObject, JsonObject];

function compareOperations(drift: SchemaDrift, documents: Documents, [old, now]: [Operation, Operation]): void {
  const { address } = now;
  compareParameters(drift, documents, [old, now]);
  compareScopes(drift, address, [old.node['x-scopes'], now.node['x-scopes']]);
  const [a, b] = [old, now].map(({ node }, place) => resolve(documents[place]!, node.requestBody));
  if (b?.required === true && a?.required !== true)
    drift.add('request.body_required', address, true, 'takes a body, which is needed');
  drift.compare('request', `${address} body`, [schemaOf(a), schemaOf(b)]);
  compareResponses(drift, documents, [old, now]);
}

function compareResponses(drift: SchemaDrift, documents: Documents, [old, now]: [Operation, Operation]): void {
  const [a, b] = [old, now].map(({ node }) => (isObject(node.responses) ? node.responses : {})) as Documents;
  for (const status of Object.keys(a)) {
    if (!Object.hasOwn(b, status)) {
      const isSuccess = status.startsWith('2');
      drift.add('response.status_removed', `${now.address} ${status}`, isSuccess, 'is not answered any more');
    } else if (status.startsWith('2')) {
      const [x, y] = [resolve(documents[0], a[status]), resolve(documents[1], b[status])];
      drift.compare('response', `${now.address} ${status}`, [schemaOf(x), schemaOf(y)]);
    }
  }
  for (const status of Object.keys(b))
    if (!Object.hasOwn(a, status)) drift.add('response.status_added', `${now.address} ${status}`, false, 'is new');
}

/** The schema of JSON, else of whatever comes first. */
function schemaOf(node: JsonObject | undefined): Json | undefined {
  const content = isObject(node?.content) ? node.content : {};
  const media = content['application/json'] ?? Object.values(content)[0];
  return isObject(media) ? media.schema : undefined;
}

function compareParameters(drift: SchemaDrift, [before, after]: Documents, [old, now]: [Operation, Operation]): void {
  const [a, b] = [parametersOf(before, old), parametersOf(after, now)];
  for (const [key, parameter] of b) {
    const known = a.get(key);
    const where = `${now.address} ${key}`;
    if (parameter.required === true && known?.required !== true)
      drift.add('request.parameter_required', where, true, known ? 'is needed now' : 'is new, and needed');
    else if (!known) drift.add('request.parameter_added', where, false, 'is new');
    if (known) drift.compare('request', where, [known.schema, parameter.schema]);
  }
  for (const key of a.keys())
    if (!b.has(key)) drift.add('request.parameter_removed', `${now.address} ${key}`, true, 'is not taken any more');
}

/** Those of a path go by their place, as their names may change. */
function parametersOf(document: JsonObject, { parameters }: Operation): Map<string, JsonObject> {
  const found = parameters.map((one) => resolve(document, one)).filter((one) => one !== undefined);
  let places = 0;
  return new Map(
    found.map((one) => [one.in === 'path' ? `path.${(places += 1)}` : `${written(one.in)}.${written(one.name)}`, one]),
  );
}

function compareScopes(drift: SchemaDrift, address: string, [old, now]: [Json | undefined, Json | undefined]): void {
  const of = (rule: 'any_of' | 'all_of', node: Json | undefined): Json[] => (isObject(node) ? listOf(node[rule]) : []);
  const gone = of('any_of', old).filter((scope) => !of('any_of', now).includes(scope));
  const needed = of('all_of', now).filter((scope) => !of('all_of', old).includes(scope));
  if (gone.length > 0)
    drift.add('access.scopes_narrowed', address, true, `no longer suffice: ${gone.map(written).join(', ')}`);
  if (needed.length > 0)
    drift.add('access.scopes_needed', address, true, `are needed now: ${needed.map(written).join(', ')}`);
}
