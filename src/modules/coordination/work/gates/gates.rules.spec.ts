import { describe, expect, it } from 'vitest';
import { isRequester, type Party } from '../../../../common/bearer-auth/party.js';
import { findRefusal, isNamed, MAX_OWNERS, needsApproval, type AskedMove } from './gates.rules.js';

const ada = { passport: 'ada', principal: 'passport:ada' };
const bob = { passport: 'bob', principal: 'passport:bob' };
const claimed = (passport?: string) => ({ passport, principal: 'anonymous' });
const token = (subject: string, passport?: string) => ({
  ...{ passport, principal: `sub:${subject}`, subject: `sub:${subject}` },
});
const bearing = (subject: string, passport: string) => ({
  ...{ passport, principal: `passport:${passport}`, subject: `sub:${subject}` },
});

describe('an approval is needed', () => {
  const asked = (members: Partial<AskedMove>): AskedMove => ({
    from: 'in_review',
    to: 'done',
    owners: ['ada'],
    by: ada,
    hasMovedAsOwner: false,
    ...members,
  });

  it.each<[string, Partial<AskedMove>, string[], boolean]>([
    ['by who has the item', {}, [], true],
    ['by who says so without a credential', { by: claimed('ada') }, [], true],
    ['by who had it before', { owners: ['bob', 'ada', 'bob'] }, [], true],
    ['by anybody, of what more had than are kept', { by: bob, owners: Array(MAX_OWNERS).fill('eve') }, [], true],
    ['by whose credential has moved it as who has it', { by: bob, hasMovedAsOwner: true }, [], true],
    ['by a token that names nobody', { by: claimed() }, [], true],
    ['by nobody else', { by: bob }, [], false],
    ['of nobody’s item by nobody', { owners: [null, undefined] }, [], false],
    ['for no other move', { to: 'in_progress' }, [], false],
    ['for what the policy names', { from: 'backlog', to: 'ready' }, ['backlog>ready'], true],
    ['for what it names, whoever asks', { by: bob }, ['in_review>done'], true],
    ['for nothing else', { from: 'ready', to: 'backlog' }, ['backlog>ready'], false],
  ])('%s', (_what, members, policy, expected) => {
    expect(needsApproval(asked(members), policy)).toBe(expected);
  });

  it('where a policy names any state', () => {
    expect(isNamed(['*>cancelled'], 'ready', 'cancelled')).toBe(true);
    expect(isNamed(['ready>*'], 'ready', 'blocked')).toBe(true);
    expect(isNamed(['*>*'], 'ready', 'blocked')).toBe(true);
    expect(isNamed(['*>cancelled', 'done>*'], 'ready', 'blocked')).toBe(false);
  });
});

describe('who asked', () => {
  const gate = (by: Party, mayDecide: string[] | null = null) => ({
    requestedPassport: by.passport ?? 'ada',
    requestedPrincipal: by.principal,
    requestedSubject: by.subject ?? null,
    mayDecide,
  });

  it.each([
    ['by the same passport', ada, ada],
    ['by its header, of what was asked in a body', claimed('ada'), ada],
    ['by a body, of what was asked with a header', ada, claimed('ada')],
    ['by a body twice', claimed('ada'), claimed('ada')],
    ['by the same token under another name', token('7', 'ada'), token('7', 'bob')],
    ['by the same token under no name', token('7', 'ada'), token('7')],
    ['by a token of the same subject with another passport', bearing('7', 'ada'), bearing('7', 'bob')],
    ['by a token of the same subject without a passport', bearing('7', 'ada'), token('7')],
    ['by a token of the same subject with a passport', token('7', 'ada'), bearing('7', 'bob')],
    ['by another credential of the same passport', token('7', 'ada'), ada],
  ])('does not decide: %s', (_what, asking, deciding) => {
    expect(isRequester(deciding, gate(asking))).toBe(true);
    expect(findRefusal(deciding, gate(asking))).toBe('ada asked for it, and another has to decide');
  });

  it.each([
    ['a passport', ada, bob],
    ['a body', claimed('ada'), claimed('bob')],
    ['a token', token('7', 'ada'), token('8', 'bob')],
    ['a token without a name', token('7', 'ada'), token('8')],
    ['a token with a passport', bearing('7', 'ada'), bearing('8', 'bob')],
  ])('is not another: %s', (_what, asking, deciding) => {
    expect(findRefusal(deciding, gate(asking))).toBeUndefined();
  });

  it('is named: nobody in particular decides nothing', () => {
    expect(findRefusal(claimed(), gate(ada))).toMatch(/^Nothing says who decides: send approver_passport/);
  });

  it('is one of those that the project lets decide, by more than a word where there is a credential', () => {
    expect(findRefusal(bob, gate(ada, ['bob']))).toBeUndefined();
    expect(findRefusal(claimed('bob'), gate(ada, ['bob']))).toBeUndefined();
    expect(findRefusal(token('8'), gate(ada, ['sub:8']))).toBeUndefined();
    expect(findRefusal(bearing('8', 'bob'), gate(ada, ['bob']))).toBeUndefined();
    for (const deciding of [
      token('8', 'bob'),
      bearing('bob', 'eve'),
      claimed('eve'),
      { passport: 'eve', principal: 'passport:eve' },
    ])
      expect(findRefusal(deciding, gate(ada, ['bob']))).toBe('The project lets bob decide, and nobody else');
    expect(findRefusal(ada, gate(ada, ['ada']))).toMatch(/another has to decide/);
  });
});
