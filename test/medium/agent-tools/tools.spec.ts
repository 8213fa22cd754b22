import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAgent, type CallTool, type TestAgent } from '../../kit/agent.js';

let agent: TestAgent;
let call: CallTool;
beforeAll(async () => {
  agent = await startAgent();
  ({ call } = agent);
  const sections = [
    '# Light',
    'It was lit in 1844.',
    '# Tower',
    'The tower is 48 metres high.',
    '# Keeper',
    'Ada keeps it.',
  ];
  await agent.ingest('skerryvore', sections.join('\n\n'));
}, 120_000);
afterAll(() => agent.close());

const passageOf = async (query: string): Promise<string> =>
  (await call('search', { query, in: 'documents' })).data.results[0].id;

describe('read', () => {
  it('reads a passage with those around it, a document in parts, and a fact', async () => {
    const id = await passageOf('how high is the tower');
    const passage = await call('read', { id, around: 2 });
    expect(passage.text).toContain('48 metres');
    expect(passage.data).toMatchObject({ document: 'notes/skerryvore', current: true });
    const document = await call('read', { id: 'notes/skerryvore' });
    expect(document.text).toContain('Ada keeps it.');
    const fact = await call('remember', { entity: 'tower', key: 'height', value: '48 m' });
    expect((await call('read', { id: fact.data.id })).text).toContain('48 m');
  });

  it('reads a document of long lines to its end, each part from where the one before ended', async () => {
    const content = `${'The lamp turns 🗼 by night. '.repeat(60)}\n\n${'Ships pass. '.repeat(80)}\nThe end.`;
    await agent.ingest('log', content);
    const parts: string[] = [];
    for (let from: number | undefined = 0; from !== undefined;) {
      const { text, data } = await call('read', { id: 'notes/log', from, token_budget: 300 });
      const { next_from: next } = data;
      const shown = text
        .split('\n')
        .slice(1, next === undefined ? undefined : -1)
        .join('\n');
      parts.push(shown.endsWith(' [cut]') ? shown.slice(0, -' [cut]'.length) : `${shown}\n`);
      if (next !== undefined) expect([text, next > from]).toEqual([expect.stringContaining(`with from ${next}`), true]);
      from = next;
    }
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.join('').trim()).toBe(content);
  });

  it('takes the ids that search gives out, whatever the corpus is called', async () => {
    const owls = [
      { corpusId: 'p', docId: 'q/r', content: 'The first owl hoots.', id: 'p/q/r' },
      { corpusId: 'p/q', docId: 'r', content: 'The second owl hoots.', id: 'p%2Fq/r' },
      {
        corpusId: 'fact:a b/c',
        docId: 'x/ü?#&%.md',
        content: 'The third owl hoots.',
        id: 'document:fact:a b%2Fc/x/ü?#&%.md',
      },
    ];
    for (const { corpusId, docId, content } of owls) await agent.ingest(docId, content, { corpusId });
    const { data: found } = await call('search', { query: 'owl hoots', in: 'documents' });
    expect(found.results.map(({ document }: any) => document).sort()).toEqual(owls.map(({ id }) => id).sort());
    for (const { id, content, corpusId, docId } of owls) {
      expect((await call('read', { id })).text).toContain(content);
      const { data } = await call('prove', { id });
      const job = `/v1/proof/jobs/${data.proof_id.slice('proof:'.length)}`;
      const { body: proven } = await agent.api.tenant.call('GET', `${job}/chunks`);
      expect([data.verdict, proven.chunks]).toEqual(['holds', [expect.objectContaining({ corpusId, docId })]]);
      expect((await call('watch', { id, agent_id: 'ada' })).isError).toBe(false);
    }
    const { body } = await agent.api.tenant.call('GET', '/v1/watches?agentId=ada');
    expect(body.watches).toHaveLength(3);
    const { data } = await call('ingest', { corpus_id: 'p/q', doc_id: 's', title: 'S', content: 'A fourth.' });
    expect(data.id).toBe('p%2Fq/s');
  });

  it('says what an id of nothing is', async () => {
    const { text, isError } = await call('read', { id: 'notes/none' });
    expect([isError, text]).toEqual([true, 'read: id names nothing that there is: notes/none']);
    expect((await call('read', { id: 'receipt:x' })).text).toContain('evidence and prove take it');
    // As an address it would be that of another route.
    for (const id of ['../events', 'notes/..', 'work:..']) {
      const dots = await call('read', { id });
      expect([id, dots.isError, dots.text]).toEqual([id, true, expect.stringContaining('id must not be . or ..')]);
    }
  });
});

describe('remember and forget', () => {
  it('keep one value under a name, and forget only the one that holds', async () => {
    const first = await call('remember', { entity: 'lamp', key: 'colour', value: 'red' });
    const second = await call('remember', { entity: 'lamp', key: 'colour', value: 'white' });
    expect(second.data.version).toBe(2);
    const old = await call('forget', { fact_id: first.data.id });
    expect([old.isError, old.text]).toEqual([true, expect.stringContaining(second.data.id)]);
    expect((await call('forget', { fact_id: second.data.id })).data).toMatchObject({ forgotten: true });
    expect((await call('search', { query: 'lamp colour', in: 'facts' })).text).not.toContain('white');
  });

  it('keep a preference, in a new version each time', async () => {
    const given = { as: 'preference', key: 'language', agent_id: 'ada' };
    expect((await call('remember', { ...given, value: 'English' })).data.version).toBe(1);
    const again = await call('remember', { ...given, value: 'German' });
    expect([again.data.version, again.text]).toEqual([2, expect.stringContaining('It replaces: English')]);
  });

  it('take of a preference nothing that is of a fact alone', async () => {
    const given = { as: 'preference', key: 'colour', value: 'red', agent_id: 'ada' };
    for (const [name, value] of [
      ['entity', 'lamp'],
      ['private', true],
    ] as const)
      expect(await call('remember', { ...given, [name]: value })).toMatchObject({
        isError: true,
        text: expect.stringContaining(`remember: ${name} is of a fact alone`),
      });
  });

  it('ask for the entity of a fact', async () => {
    expect(await call('remember', { key: 'k', value: 'v' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('remember: entity is required for a fact'),
    });
  });
});

describe('answers', () => {
  it('are recorded, proved and watched in one call', async () => {
    const cite = await passageOf('when was it lit');
    const recorded = await call('record_answer', { text: 'In 1844.', cites: [cite], prove: 'light', watch: true });
    expect(recorded.text).toContain('holds');
    const { id, watch_id, verdict } = recorded.data;
    expect([id, watch_id, verdict]).toEqual([
      expect.stringMatching(/^answer:/),
      expect.stringMatching(/^watch:/),
      'holds',
    ]);
    expect((await call('read', { id })).text).toContain('In 1844.');
    expect((await call('prove', { id, mode: 'verified' })).data.verdict).toBe('holds');
    expect((await call('evidence', { id })).data.verified).toBe(true);
    expect((await call('watch')).data.watches).toHaveLength(1);
    expect((await call('watch', { id: watch_id, stop: true })).data.active).toBe(false);
    expect((await call('watch')).data.watches).toEqual([]);
  });

  it('name the citation that is none', async () => {
    const wrong = await call('record_answer', { text: 'x', cites: ['fact:1'] });
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('cites[0] must be a passage')]);
  });
});

describe('prove', () => {
  it('proves a fact by its receipt, and what changed is drifted', async () => {
    const { data } = await call('remember', { entity: 'fog', key: 'horn', value: 'loud' });
    expect((await call('prove', { id: data.id })).data.verdict).toBe('holds');
    await call('remember', { entity: 'fog', key: 'horn', value: 'silent' });
    expect((await call('prove', { id: data.id })).data.verdict).toBe('drifted');
  });

  it('shows a new state after the document has changed', async () => {
    await agent.ingest('buoy', 'The buoy is green.');
    const id = await passageOf('what colour is the buoy');
    expect((await call('prove', { id })).data.verdict).toBe('holds');
    await agent.ingest('buoy', 'The buoy is yellow.');
    expect((await call('prove', { id })).data.verdict).toBe('drifted');
    expect((await call('read', { id })).text).toContain('NOT CURRENT');
  });
});

describe('ingest', () => {
  it('makes a document searchable before it answers', async () => {
    const { data } = await call('ingest', {
      title: 'Tides',
      content: 'Neap tides come at half moon.',
      doc_id: 'tides',
    });
    expect(data).toMatchObject({ id: 'notes/tides', status: 'completed' });
    expect((await call('search', { query: 'neap tides' })).text).toContain('half moon');
  });
});

describe('work', () => {
  it('is created, claimed, changed and done', async () => {
    const by = { agent_id: 'ada' };
    const { data } = await call('work', { action: 'create', text: 'Paint the tower', project: 'tower', ...by });
    const claimed = await call('work', { action: 'claim', work_id: data.work_id, ...by });
    expect(claimed.data).toMatchObject({ work_id: data.work_id, fence: expect.any(Number) });
    const { fence } = claimed.data;
    await call('work', { action: 'comment', work_id: data.work_id, text: 'Primed.', fence, ...by });
    const done = await call('work', { action: 'update', work_id: data.work_id, state: 'in_review', fence, ...by });
    expect([done.isError, done.text]).toEqual([false, expect.stringContaining('in_review')]);
    expect((await call('work', { action: 'list', project: 'tower' })).text).toContain('Paint the tower');
  });

  it('asks for what an action needs', async () => {
    expect((await call('work', { action: 'update', state: 'done' })).text).toContain('work: work_id is required');
  });
});

describe('more_tools', () => {
  it('lists sets, their tools, and calls one', async () => {
    expect((await call('more_tools')).text).toContain('economy: get_credit_balance');
    expect((await call('more_tools', { set: 'economy' })).text).toMatch(/get_credit_balance\(agent_id\??\)/);
    const balance = await call('more_tools', { tool: 'get_credit_balance', arguments: { agent_id: 'ada' } });
    expect(balance.text).toContain('"agentId":"ada"');
    expect((await call('more_tools', { set: 'none' })).text).toContain('must be one of');
    const whole = await call('more_tools', { set: 'all', token_budget: 100_000 });
    expect(whole.text).not.toContain('left out');
    const { text, data } = await call('more_tools', { set: 'all' });
    const left = whole.data.tools.length - data.tools.length;
    expect([left > 0, text]).toEqual([
      true,
      expect.stringContaining(`\n${left} more were left out; raise token_budget`),
    ]);
  });
});

describe('errors', () => {
  it.each([
    ['work', { action: 'claim', agent_id: 'Bob Smith' }, /^work: agent_id /],
    ['work', { action: 'create', text: 'x'.repeat(9_000) }, /^work: text /],
    ['link', { from_id: 'person:ada', relation: 'does', to_id: 'fact:none' }, /^link: to_id /],
    ['record_answer', { text: 'x', cites: ['chk_none'] }, /^record_answer: cites\[0\] /],
    ['more_tools', { set: 'nope' }, /^more_tools: set must be one of/],
  ])('of %s name the arguments of the tool: %j', async (tool, given, said) => {
    const { isError, text } = await call(tool, given);
    expect([isError, text]).toEqual([true, expect.stringMatching(said)]);
  });

  it('are none for the largest budget', async () => {
    const { text, isError } = await call('start_session', { agent_id: 'ada', token_budget: 100_000 });
    expect([isError, text]).toEqual([false, expect.not.stringContaining('Without')]);
  });

  it('of two writes of a goal at once say what to do', async () => {
    const write = (value: string) => call('remember', { as: 'goal', key: 'at-once', value });
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(write));
    for (const { isError, text } of answers)
      expect(text).toMatch(
        isError ? /somebody else wrote it at the same time; send it again/ : /^Remembered your goal/,
      );
  });
});
