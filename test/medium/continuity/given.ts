import type { Answer, TestTenant } from '../../kit/app.js';

/** A write to an agent's primitives: by default a goal with a text. */
export const write = (tenant: TestTenant, agentId: string, members: object = {}): Promise<Answer> =>
  tenant.call('POST', `/v1/home/${encodeURIComponent(agentId)}/primitives`, {
    kind: 'goal',
    name: 'launch',
    content: { text: 'Launch in spring.' },
    ...members,
  });

export const read = (tenant: TestTenant, agentId: string, what: string): Promise<Answer> =>
  tenant.call('GET', `/v1/home/${encodeURIComponent(agentId)}/${what}`);

/** Every page of a list, by its cursor. */
export async function walk(tenant: TestTenant, path: string, list: string, limit: number): Promise<any[]> {
  const found: any[] = [];
  for (let cursor = ''; ;) {
    const { body } = await tenant.call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`);
    found.push(...body[list]);
    if (body.next_cursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}
