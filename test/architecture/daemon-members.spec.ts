import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../kit/app.js';
import { startDaemon, type TestDaemon } from '../kit/daemon.js';
import { followed, operationsIn } from '../kit/openapi.js';

/** What memory-daemon.md 4 names of a route: members of its request and of its answer, and statuses. */
interface NamedMembers {
  route: string;
  required?: string[];
  optional?: string[];
  nullable?: string[];
  answers?: string[];
  status?: number;
  problems?: number[];
}
const NAMED = JSON.parse(
  readFileSync(new URL('../golden/daemon-members.json', import.meta.url), 'utf8'),
) as NamedMembers[];

let daemon: TestDaemon;
let document: any;
beforeAll(async () => {
  daemon = await startDaemon();
  document = (await send(daemon.url, 'GET', '/docs/openapi.json')).body;
});
afterAll(() => daemon.close());

interface Members {
  schemas: Record<string, unknown>;
  required: Set<string>;
}

/** Members of an object, of one of several, or of the items of a list. */
function membersOf(schema: any): Members {
  const { properties = {}, required = [], items, ...parts } = followed(document, schema) ?? {};
  const others = [
    ...(parts.allOf ?? []),
    ...(parts.oneOf ?? []),
    ...(parts.anyOf ?? []),
    ...(items ? [items] : []),
  ].map(membersOf);
  return {
    schemas: Object.assign({}, ...others.map((other) => other.schemas), properties),
    required: new Set([...others.flatMap((other) => [...other.required]), ...required]),
  };
}

const jsonOf = (content: Record<string, any> = {}): Members =>
  membersOf(Object.entries(content).find(([type]) => /json/.test(type))?.[1].schema);

/** The query of a GET, the body of all else. */
function takenBy(verb: string, { parameters = [], requestBody }: any): Members {
  if (verb !== 'GET') return jsonOf(followed(document, requestBody)?.content);
  const found = parameters.map((one: any) => followed(document, one)).filter((one: any) => one.in === 'query');
  return {
    schemas: Object.fromEntries(found.map(({ name, schema }: any) => [name, schema])),
    required: new Set(found.filter((one: any) => one.required).map(({ name }: any) => name)),
  };
}

const shapeOf = (address: string): string => address.replace(/\{\w+\}/g, '{}');

function faultsOf({
  route,
  required = [],
  optional = [],
  nullable = [],
  answers = [],
  ...said
}: NamedMembers): string[] {
  const operation = operations.get(shapeOf(route));
  if (!operation) return [`${route} is not served`];
  const taken = takenBy(route.split(' ')[0]!, operation);
  const success = Object.keys(operation.responses).find((status) => status.startsWith('2'))!;
  const answered = jsonOf(followed(document, operation.responses[success]).content).schemas;
  const takesNull = (name: string) => JSON.stringify(taken.schemas[name]).includes('"null"');
  return [
    ...[...required, ...optional].filter((name) => !(name in taken.schemas)).map((name) => `does not take ${name}`),
    ...required.filter((name) => !taken.required.has(name)).map((name) => `does not need ${name}`),
    ...optional.filter((name) => taken.required.has(name)).map((name) => `needs ${name}`),
    ...nullable.filter((name) => name in taken.schemas && !takesNull(name)).map((name) => `takes no null as ${name}`),
    ...answers.filter((name) => !(name in answered)).map((name) => `does not answer ${name}`),
    ...(said.problems ?? []).filter((status) => !(status in operation.responses)).map((status) => `never ${status}`),
    ...(said.status === undefined || success === `${said.status}` ? [] : [`answers ${success}, not ${said.status}`]),
  ].map((fault) => `${route} ${fault}`);
}

const operations = new Map<string, any>();

it('routes of the daemon take and answer the members that the specification names', () => {
  for (const [address, operation] of operationsIn(document)) operations.set(shapeOf(address), operation);
  expect(NAMED.flatMap(faultsOf)).toEqual([]);
});
