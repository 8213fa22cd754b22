import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { Answer } from './app.js';

/** What a strict linter finds wrong with an OpenAPI document, each with its place. */
export async function openApiProblems(text: string): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      'no-server-example.com': 'off',
      'no-empty-servers': 'off',
      'tag-description': 'off',
      'operation-4xx-response': 'error',
    },
  });
  const problems = await lintFromString({ source: text, config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

/** What an answer has that the document does not say of it: its status, its content type, its body. */
export function answerFaults(document: any, address: string, { status, headers, text }: Answer): string[] {
  const [verb, path] = address.split(' ') as [string, string];
  const declared = document.paths[path]?.[verb.toLowerCase()]?.responses[status];
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

const validators = new WeakMap<object, ValidateFunction>();

function validatorOf(schema: object, { components }: any): ValidateFunction {
  const validate = validators.get(schema) ?? ajv.compile({ ...schema, components });
  validators.set(schema, validate);
  return validate;
}

const essence = (contentType: string): string => contentType.split(';', 1)[0]!.trim().toLowerCase();
