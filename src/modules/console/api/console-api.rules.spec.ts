import { describe, expect, it } from 'vitest';
import { headersFromApi, headersToApi, pathAtApi } from './console-api.rules.js';

describe('the path at the API', () => {
  it.each([
    ['/console/api/v1/org/seats?limit=3', '/v1/org/seats'],
    ['/console/api/frontdoor/auth/session', '/frontdoor/auth/session'],
    ['/console/api/v1/citations/a%2Fb', '/v1/citations/a%2Fb'],
  ])('of %s is %s', (url, path) => expect(pathAtApi(url)).toBe(path));

  it.each([
    '/console/api',
    '/console/api/',
    '/console/api/metrics',
    '/console/api/tlog/checkpoint',
    '/console/api/v1',
    '/console/api/v1x/org',
    '/console/api/v1/../metrics',
    '/console/api/v1/%2e%2e/metrics',
    '/console/api/v1/.%2E/metrics',
    '/console/api/v1/..%2fmetrics',
    '/console/api/v1/a%2f..%2fb',
    '/console/api/v1/a%5C%2e%2E',
    '/console/api/v1/a\\..\\b',
    '/console/api//v1/org',
    '/console/%61pi/v1/org',
    '/console/apix/v1/org',
  ])('is none of %s', (url) => expect(pathAtApi(url)).toBeUndefined());
});

it('passes on what a page needs, and nothing that a client says of itself', () => {
  const came = {
    ...{
      host: 'h',
      origin: 'http://h',
      accept: '*/*',
      authorization: 'Bearer x',
      cookie: 'a=b',
      forwarded: 'for=1.2.3.4',
    },
    ...{ 'x-forwarded-for': '1.2.3.4', 'x-api-key': 'k', 'x-svc-client-address': 'made-up', 'accept-encoding': 'br' },
  };
  expect(headersToApi(came, { cookie: 'svc_session=1', 'content-type': undefined })).toEqual({
    ...{ host: 'h', origin: 'http://h', accept: '*/*', cookie: 'svc_session=1' },
  });
});

it('returns what the API says, without what is of the connection', () => {
  const answered = {
    'content-type': 'application/json',
    'set-cookie': ['a=b'],
    connection: 'close',
    'keep-alive': 'x',
  };
  expect(headersFromApi(answered)).toEqual({ 'content-type': 'application/json', 'set-cookie': ['a=b'] });
});
