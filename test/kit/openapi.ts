import { createConfig, lintFromString } from '@redocly/openapi-core';

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
