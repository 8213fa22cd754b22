import { expect, it } from 'vitest';
import { apiUrlOf } from './server-urls.js';
import { loadSettings, SettingsInvalid } from './settings.js';

it.each<[Record<string, string>, string]>([
  [{}, 'http://127.0.0.1:8090'],
  [{ SVC_API_HOST: '0.0.0.0', SVC_API_PORT: '80' }, 'http://127.0.0.1:80'],
  [{ SVC_API_HOST: '::' }, 'http://[::1]:8090'],
  [{ SVC_API_HOST: '2001:db8::1' }, 'http://[2001:db8::1]:8090'],
  [{ SVC_API_HOST: '10.0.0.7' }, 'http://10.0.0.7:8090'],
  [{ SVC_API_URL: 'https://api.example.org/svc/', SVC_API_PORT: '0' }, 'https://api.example.org/svc'],
])('with %o the API is reached at %s', (environment, url) => {
  expect(apiUrlOf(loadSettings(environment))).toBe(url);
});

it('asks for SVC_API_URL where nothing says which port the API took', () => {
  expect(() => apiUrlOf(loadSettings({ SVC_API_PORT: '0' }))).toThrow(SettingsInvalid);
  expect(() => apiUrlOf(loadSettings({ SVC_API_PORT: '0' }))).toThrow(/SVC_API_URL is required/);
});

it('reads a list of host names, in lower case, and refuses what is none', () => {
  const hostsOf = (list: string) => loadSettings({ SVC_ALLOWED_HOSTS: list }).process.allowedHosts;
  expect([hostsOf(''), hostsOf(' Box.Local, ,[::1],')]).toEqual([[], ['box.local', '[::1]']]);
  for (const wrong of ['box:8091', 'http://box', 'a b', '*']) expect(() => hostsOf(wrong)).toThrow(SettingsInvalid);
});
