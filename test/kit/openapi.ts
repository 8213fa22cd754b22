import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import rulesets from '@stoplight/spectral-rulesets';
import type { Answer } from './app.js';

const { Document, Spectral } = spectralCore;
const { oas } = rulesets;

/** What Redocly's recommended rules find wrong with an OpenAPI document, warnings too, each with its place. */
export async function openApiProblems(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
}

/** What Spectral's recommended rules find wrong with it, warnings too. */
export async function spectralProblems(text: string): Promise<string[]> {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] });
  const found = await spectral.run(new Document(text, Json));
  return found.map(({ code, message, path }) => `${code}: ${message} at ${path.join('/')}`);
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addFormat('uint64', true);

/** What an answer has that the document does not say of it: its status, its content type, its body. */
export function answerFaults(document: any, address: string, { status, headers, text }: Answer): string[] {
  const [verb, path] = address.split(' ') as [string, string];
  const declared = followed(document, document.paths[path]?.[verb.toLowerCase()]?.responses[status]);
  if (!declared) return [`${status} is not declared`];
  const sent = headers.get('content-type');
  if (text === '') return [];
  if (sent === null) return ['a body without a content type'];
  const content = Object.entries<any>(declared.content ?? {}).find(([type]) => essence(type) === essence(sent))?.[1];
  if (!content) return [`${status} is not declared as ${sent}`];
  const validate = validatorOf(content.schema, document);
  const isValid = validate(/[/+]json$/.test(essence(sent)) ? JSON.parse(text) : text);
  return isValid ? [] : validate.errors!.map(({ instancePath, message }) => `${status}${instancePath} ${message}`);
}

/** A part of a document, or what it refers to. */
export function followed(document: any, part: any): any {
  const names = part?.$ref?.slice(2).split('/') as string[] | undefined;
  return names ? names.reduce((at, name) => at[name], document) : part;
}

/** Operations of a document with their addresses: `GET /v1/facts/list`. */
export const operationsIn = (document: any): [string, any][] =>
  Object.entries<any>(document.paths).flatMap(([path, item]) =>
    Object.entries<any>(item).map(([verb, operation]): [string, any] => [`${verb.toUpperCase()} ${path}`, operation]),
  );

/** What is wrong with the examples of a document: answers without one, and those that are not what they are of. */
export function exampleFaults(document: any): string[] {
  return operationsIn(document).flatMap(([address, { requestBody, responses, parameters }]) => {
    const answers = Object.entries<any>(responses).flatMap(([status, response]) =>
      mediaFaults(document, `${address} ${status}`, followed(document, response)),
    );
    const sent = parameters
      .filter(({ example }: any) => example !== undefined)
      .flatMap(({ name, example, schema }: any) =>
        valueFaults(document, `${address} ${name}`, { value: example, schema }),
      );
    return [...answers, ...sent, ...mediaFaults(document, `${address} body`, requestBody)];
  });
}

/** Bytes have no example. */
function mediaFaults(document: any, where: string, { content = {} }: any = {}): string[] {
  return Object.entries<any>(content).flatMap(([type, { schema, example, examples }]) => {
    const values = example === undefined ? Object.values<any>(examples ?? {}).map(({ value }) => value) : [example];
    if (values.length === 0)
      return /[/+]json/.test(type) && schema.format !== 'binary' ? [`${where} ${type} has no example`] : [];
    return values.flatMap((value) => valueFaults(document, `${where} ${type}`, { value, schema }));
  });
}

function valueFaults(document: any, where: string, { value, schema }: { value: unknown; schema: object }): string[] {
  const validate = validatorOf(schema, document);
  if (validate(value)) return [];
  return validate.errors!.map(({ instancePath, message }) => `${where}${instancePath} ${message}`);
}

const validators = new WeakMap<object, ValidateFunction>();
const names = new WeakMap<object, string>();

/** What a document has in common is compiled once. */
function validatorOf(schema: object, { components }: any): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const name = names.get(components) ?? `document-${crypto.randomUUID()}`;
  if (!names.has(components)) ajv.addSchema({ components }, name);
  names.set(components, name);
  const written = JSON.stringify(schema).replaceAll('"#/components/', `"${name}#/components/`);
  const validate = ajv.compile(JSON.parse(written) as object);
  validators.set(schema, validate);
  return validate;
}

const essence = (contentType: string): string => contentType.split(';', 1)[0]!.trim().toLowerCase();
