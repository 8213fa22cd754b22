import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { sendOk } from '../../kit/send-ok.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon();
  ({ call } = daemon);
  for (const id of ['common', 'shop']) await must('POST', '/v1/projects', { id, default_passport_id: 'lead' });
  await must('PATCH', '/v1/projects/common', { is_default: true });
  await must('POST', '/v1/projects/shop/planes', { id: 'api' });
  await must('PUT', '/v1/projects/common/layers/style', { content: 'Common style.' });
  await must('PUT', '/v1/projects/common/layers/safety', { content: 'Ask before you delete.\n' });
  await must('PUT', '/v1/projects/shop/layers/style', { content: 'Shop style.' });
  await must('PUT', '/v1/projects/shop/planes/api/layers/tests', { content: 'Test each route.' });
  await must('PUT', '/v1/facts', { entity: 'layer:session/s1', key: 'style', value: 'Session style.' });
  await must('PUT', '/v1/facts', { entity: 'layer:session/s1', key: 'Not A Layer', value: 'x' });
});
afterAll(() => daemon.close());

const must = (method: string, path: string, body?: object) => sendOk(call, method, path, body);
const effective = async (query = '', project = 'shop', by = call): Promise<any> =>
  (await by('GET', `/v1/projects/${project}/layers/effective${query}`)).body;
const named = (parts: any[]) => parts.map(({ origin, layer }) => `${origin} ${layer}`);

describe('the layers that hold', () => {
  it('are of each name the narrowest, with origin, version and hash', async () => {
    const { text, hash, parts, overridden, ...rest } = await effective();
    expect(text).toBe('Ask before you delete.\n\nShop style.\n');
    expect(hash).toBe(blake3Digest(text));
    expect(parts).toEqual([
      {
        ...{ layer: 'safety', origin: 'workspace', entity: 'layer:common', version: 1, bytes: 23 },
        ...{ hash: blake3Digest('Ask before you delete.\n'), fact_id: expect.any(String) },
      },
      {
        ...{ layer: 'style', origin: 'project', entity: 'layer:shop', version: 1, bytes: 11 },
        ...{ hash: blake3Digest('Shop style.'), fact_id: expect.any(String) },
      },
    ]);
    expect(overridden).toMatchObject([{ origin: 'workspace', layer: 'style', overridden_by: 'project' }]);
    expect(rest).toEqual({ project_id: 'shop', plane_id: null, session_id: null, schema: 'svc.layers.effective/1' });
  });

  it('are those of the plane and the session as well, where they are named', async () => {
    const { parts, overridden } = await effective('?plane_id=api&session_id=s1');
    expect(named(parts)).toEqual(['workspace safety', 'plane tests', 'session style']);
    expect(named(overridden)).toEqual(['workspace style', 'project style']);
    const { text } = await effective('?layer=style&session_id=s1');
    expect(text).toBe('Session style.\n');
  });

  it('of a session are the own ones of who asks', async () => {
    const bob = daemon.as({ scopes: ALL_SCOPES, passport: 'bob' });
    expect(named((await effective('?session_id=s1', 'shop', bob)).parts)).toEqual([
      'workspace safety',
      'project style',
    ]);
  });

  it('of the default project are its own, once', async () => {
    expect(named((await effective('', 'common')).parts)).toEqual(['project safety', 'project style']);
  });

  it('are none of a wider name where a narrower one says nothing', async () => {
    await must('PUT', '/v1/projects/shop/planes/api/layers/safety', { content: '' });
    const { text, parts } = await effective('?plane_id=api');
    expect(named(parts)).toEqual(['project style', 'plane safety', 'plane tests']);
    expect(text).toBe('Shop style.\n\nTest each route.\n');
    await must('DELETE', '/v1/projects/shop/planes/api/layers/safety');
    expect((await effective('?plane_id=api')).text).toContain('Ask before you delete.');
  });

  it('are of the workspace no more once another project is the default', async () => {
    await must('PATCH', '/v1/projects/common', { is_default: false });
    expect(named((await effective()).parts)).toEqual(['project style']);
    await must('PATCH', '/v1/projects/common', { is_default: true });
  });

  it('are asked for of what is there', async () => {
    expect((await effective('?plane_id=none')).code).toBe('PLANE_UNKNOWN');
    expect((await effective('', 'none')).code).toBe('PROJECT_UNKNOWN');
    expect((await effective('?layer=No')).detail).toContain('query.layer');
    const other = daemon.as({ scopes: ALL_SCOPES, tenant: 'other' });
    expect((await effective('', 'shop', other)).code).toBe('PROJECT_UNKNOWN');
  });

  it('of a session are bounded', async () => {
    for (let n = 0; n <= 100; n += 1)
      await must('PUT', '/v1/facts', { entity: 'layer:session/many', key: `k${n}`, value: '' });
    expect((await effective('?session_id=many')).detail).toContain('session_id');
  });
});
