import { expect, it } from 'vitest';
import { protectedResource } from './protected-resource.rules.js';

it('the metadata stands where a proxy leads to it with the endpoint', () => {
  const at = (url: string) => protectedResource(url, 'https://id.example.org/', []).metadataUrl;
  expect(at('https://svc.example.org/mcp')).toBe('https://svc.example.org/.well-known/oauth-protected-resource/mcp');
  expect(at('https://example.org/svc/mcp')).toBe('https://example.org/svc/.well-known/oauth-protected-resource/mcp');
});

it('names the scopes that are asked for, if any', () => {
  const { metadata } = protectedResource('https://svc.example.org/mcp', 'https://id.example.org/', ['mcp']);
  expect(metadata).toEqual({
    resource: 'https://svc.example.org/mcp',
    authorization_servers: ['https://id.example.org/'],
    bearer_methods_supported: ['header'],
    scopes_supported: ['mcp'],
    resource_name: 'svc',
  });
  expect(protectedResource('https://svc.example.org/mcp', 'https://id.example.org/', []).metadata).not.toHaveProperty(
    'scopes_supported',
  );
});
