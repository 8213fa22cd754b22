import type { StatedFact } from '../dossiers/project-facts.types.js';
import { evidenceOf, nameOf } from './storybook-evidence.rules.js';
import { join, say, withValue } from './markdown-text.rules.js';
import {
  MAX_STATEMENTS,
  type StatedDossier,
  type StatedGate,
  type StatedLayer,
  type StatedMove,
  type StatedProject,
  type Section,
  type SectionId,
  type Statement,
  type StatementAnchor,
  type Storybook,
  type StorybookSources,
  type StorybookStats,
  type StatedWork,
} from './storybooks.types.js';

const TITLES: Readonly<Record<SectionId, string>> = {
  overview: 'Overview',
  people: 'People',
  decisions: 'Decisions',
  timeline: 'Timeline',
  work: 'Work',
  risks: 'Risks',
  'open-questions': 'Open questions',
  evidence: 'Evidence',
};

/**
 * The storybook of a project, made of its rows alone: no clock, and no order but theirs. Equal sources give equal
 * storybooks.
 */
export function storybookOf(sources: StorybookSources): Storybook {
  const stated = [
    section('overview', overviewOf(sources)),
    section('people', peopleOf(sources)),
    section('decisions', decisionsOf(sources)),
    section('timeline', timelineOf(sources)),
    section('work', sources.work.map(workStatement)),
    section('risks', risksOf(sources)),
    section('open-questions', questionsOf(sources)),
  ];
  const anchors = stated.flatMap(({ statements }) => statements.flatMap((statement) => statement.anchors));
  return {
    title: sources.project.name,
    sections: [...stated, section('evidence', evidenceOf(sources, anchors), Infinity)],
  };
}

const section = (id: SectionId, statements: Statement[], most = MAX_STATEMENTS): Section => ({
  id,
  title: TITLES[id],
  statements: statements.slice(0, most),
  cut: statements.length > most,
});

function overviewOf(sources: StorybookSources): Statement[] {
  return [
    ...projectStatements(sources.project),
    ...sources.planes.map(({ id, name, description, receipts }) => ({
      id: `plane/${id}`,
      ...withOptional(
        name === null ? say`There is the plane ${id}` : say`There is the plane ${id}, ${name}`,
        description,
      ),
      anchors: receiptsOf(receipts),
    })),
    ...sources.repos.map(({ repo, planeId, role, receipts }) => ({
      id: `repo/${repo}/${planeId ?? ''}`,
      parts: sentence(
        say`The repository ${repo} is linked`,
        planeId && say` to the plane ${planeId}`,
        role && say` as ${role}`,
      ),
      anchors: receiptsOf(receipts),
    })),
    ...sources.layers.map(layerStatement),
    ...ofTopic(sources.facts, 'other').map((fact) => factStatement(fact, 'Known')),
  ];
}

function projectStatements(project: StatedProject): Statement[] {
  const { id, name, planningTarget, defaultPassport, workingTenants } = project;
  const anchors = receiptsOf(project.receipts);
  const said: [string, string[] | null | ''][] = [
    ['name', say`The project ${id} is called ${name}.`],
    ['archived', project.archived ? say`It is archived.` : null],
    ['default', project.isDefault ? say`It is the default project of its tenant.` : null],
    ['planning-target', planningTarget && say`Its planning target is ${planningTarget}.`],
    [
      'default-passport',
      defaultPassport && say`Who works on it acts as ${defaultPassport} unless another passport is named.`,
    ],
    ['tenants', workingTenants.length > 0 ? say`It is worked on in ${workingTenants.join(', ')}.` : null],
  ];
  return said.flatMap(([what, parts]) => (parts ? [{ id: `project/${what}`, parts, anchors }] : []));
}

function layerStatement({ factId, name, planeId, version, content, isCut }: StatedLayer): Statement {
  const where = planeId === null ? say` of the project` : say` of the plane ${planeId}`;
  return {
    id: `layer/${planeId ?? ''}/${name}`,
    ...withValue(join(join(say`How we work here, layer ${name}`, where), say` in version ${version}`), content, isCut),
    anchors: [{ kind: 'layer', id: factId }],
  };
}

function peopleOf({ people, facts, work }: StorybookSources): Statement[] {
  const members = people.map(({ passport, role, planeId, receipts }) => ({
    id: `member/${planeId ?? ''}/${passport}`,
    parts: sentence(
      say`The passport ${passport} is a member`,
      planeId && say` of the plane ${planeId}`,
      role && say` in the role ${role}`,
    ),
    anchors: receiptsOf(receipts),
  }));
  const assigned = Map.groupBy(
    work.filter(({ assignee, state }) => assignee !== null && state !== 'done' && state !== 'cancelled'),
    ({ assignee }) => assignee!,
  );
  const busy = [...assigned].toSorted(byName).map(([passport, items]) => ({
    id: `assigned/${passport}`,
    parts: say`The passport ${passport} has ${items.length} open ${items.length === 1 ? 'item' : 'items'} of work.`,
    anchors: items.map(({ workId }): StatementAnchor => ({ kind: 'work', id: workId })),
  }));
  return [...members, ...ofTopic(facts, 'people').map((fact) => factStatement(fact, 'Known')), ...busy];
}

function decisionsOf({ facts, gates }: StorybookSources): Statement[] {
  const decided = gates.filter(({ status }) => status === 'approved' || status === 'rejected');
  return [
    ...ofTopic(facts, 'decisions').map((fact) => factStatement(fact, 'Decided')),
    ...decided.map((gate) => ({ id: `gate/${gate.actionId}`, ...decisionOn(gate), anchors: gateAnchors(gate) })),
  ];
}

const decisionOn = ({
  title,
  to,
  status,
  decidedBy,
  requestedBy,
  reason,
}: StatedGate): Pick<Statement, 'parts' | 'block'> =>
  withOptional(
    say`The passport ${decidedBy ?? 'nobody'} ${status} the move of ${title} to ${to ?? 'another form'} that ${requestedBy} asked for`,
    reason,
  );

/** Newest first. What happened at one time is in the order of its ids. */
function timelineOf({ moves, gates, facts, layers }: StorybookSources): Statement[] {
  const dated: { at: Date; statement: Statement }[] = [
    ...moves.map((move) => ({ at: move.at, statement: moveStatement(move) })),
    ...gates.flatMap((gate) =>
      gate.decidedAt === null
        ? []
        : [
            {
              at: gate.decidedAt,
              statement: {
                id: `gate/${gate.actionId}`,
                parts: say`On ${day(gate.decidedAt)}, a gate of ${gate.title} was ${gate.status}.`,
                anchors: gateAnchors(gate),
              },
            },
          ],
    ),
    ...ofTopic(facts, 'decisions').map((fact) => ({
      at: fact.storedAt,
      statement: {
        id: `fact/${fact.entity}/${fact.key}/${fact.version}`,
        parts: say`On ${day(fact.storedAt)}, ${fact.actor} wrote version ${fact.version} of ${fact.name}.`,
        anchors: factAnchors(fact),
      },
    })),
    ...layers.map((layer) => ({
      at: layer.storedAt,
      statement: {
        id: `layer/${layer.planeId ?? ''}/${layer.name}/${layer.version}`,
        parts: say`On ${day(layer.storedAt)}, the layer ${layer.name} got its version ${layer.version}.`,
        anchors: [{ kind: 'layer', id: layer.factId }, ...receiptsOf(layer.receiptId)] as StatementAnchor[],
      },
    })),
  ];
  const order = (a: (typeof dated)[number], b: (typeof dated)[number]): number =>
    b.at.getTime() - a.at.getTime() || (a.statement.id < b.statement.id ? -1 : 1);
  return dated.sort(order).map(({ statement }) => statement);
}

const moveStatement = ({ workId, title, version, from, to, passport, receiptId, at }: StatedMove): Statement => ({
  id: `move/${workId}/${version}`,
  parts:
    from === null
      ? say`On ${day(at)}, ${passport} entered ${title} as ${to}.`
      : say`On ${day(at)}, ${passport} moved ${title} from ${from} to ${to}.`,
  anchors: [{ kind: 'work', id: workId }, ...receiptsOf(receiptId)],
});

const workStatement = ({ workId, title, state, priority, assignee }: StatedWork): Statement => ({
  id: `work/${workId}`,
  parts: sentence(say`The item ${title} is ${state}, priority ${priority}`, assignee && say`, of ${assignee}`),
  anchors: [{ kind: 'work', id: workId }],
});

function risksOf({ facts, work, dossiers }: StorybookSources): Statement[] {
  const blocked = work.filter(({ state }) => state === 'blocked');
  const waiting = work.filter(
    ({ state, openBlockers }) => openBlockers > 0 && state !== 'done' && state !== 'cancelled',
  );
  return [
    ...ofTopic(facts, 'risks').map((fact) => factStatement(fact, 'At risk')),
    ...blocked.map((item): Statement => ({
      id: `blocked/${item.workId}`,
      ...withOptional(say`The item ${item.title} is blocked`, item.blockerReason),
      anchors: [{ kind: 'work', id: item.workId }],
    })),
    ...waiting.map(({ workId, title, openBlockers }): Statement => ({
      id: `waits/${workId}`,
      parts: say`The item ${title} waits for ${openBlockers} other ${openBlockers === 1 ? 'item' : 'items'} of work.`,
      anchors: [{ kind: 'work', id: workId }],
    })),
    ...dossiers.flatMap((dossier) => brokenClaims(dossier)),
  ];
}

/** Claims that do not hold any more, or that something else contradicts. */
const brokenClaims = ({ dossierId, agentPassport, receiptId, claims }: StatedDossier): Statement[] =>
  claims
    .filter(({ state }) => state === 'stale' || state === 'contradicted')
    .map((claim) => ({
      id: `claim/${dossierId}/${claim.claim_id}`,
      ...withValue(say`A claim of ${agentPassport} is ${claim.state} (${claim.why ?? ''})`, claim.text),
      anchors: [...receiptsOf(receiptId), ...claim.anchors.map(({ kind, id }) => ({ kind, id }))],
    }));

function questionsOf({ facts, work, gates, dossiers }: StorybookSources): Statement[] {
  const asking = work.filter(({ state, blockerKind }) => state === 'blocked' && blockerKind === 'needs_info');
  const pending = gates.filter(({ status }) => status === 'pending');
  return [
    ...ofTopic(facts, 'questions').map((fact) => factStatement(fact, 'Asked')),
    ...asking.map((item): Statement => ({
      id: `needs-info/${item.workId}`,
      ...withOptional(say`The item ${item.title} needs information`, item.blockerReason),
      anchors: [{ kind: 'work', id: item.workId }],
    })),
    ...pending.map((gate) => ({
      id: `gate/${gate.actionId}`,
      parts: say`The passport ${gate.requestedBy} asks whether ${gate.title} may become ${gate.to ?? 'another form'}, until ${gate.expiresAt.toISOString()}.`,
      anchors: gateAnchors(gate),
    })),
    ...dossiers.flatMap(({ dossierId, agentPassport, receiptId, openQuestions }) =>
      openQuestions.map((question, place) => ({
        id: `question/${dossierId}/${place}`,
        ...withValue(say`The agent ${agentPassport} asks`, question),
        anchors: receiptsOf(receiptId),
      })),
    ),
    ...dossiers.flatMap(({ dossierId, agentPassport, receiptId, claims }) =>
      claims
        .filter(({ state }) => state === 'unsupported')
        .map(({ claim_id, text }) => ({
          id: `unsupported/${dossierId}/${claim_id}`,
          ...withValue(say`The agent ${agentPassport} claims without saying what it rests on`, text),
          anchors: receiptsOf(receiptId),
        })),
    ),
  ];
}

const factStatement = (fact: StatedFact, word: string): Statement => ({
  id: `fact/${fact.entity}/${fact.key}`,
  ...withValue(
    fact.confidence === 1 ? say`${word}, ${fact.name}` : say`${word} with confidence ${fact.confidence}, ${fact.name}`,
    fact.value,
    fact.isCut,
  ),
  anchors: factAnchors(fact),
});

const ofTopic = (facts: readonly StatedFact[], topic: StatedFact['topic']): StatedFact[] =>
  facts.filter((fact) => fact.topic === topic);

const factAnchors = ({ factId }: StatedFact): StatementAnchor[] => [{ kind: 'fact', id: factId }];
const gateAnchors = ({ workId, requestReceipt, decisionReceipt }: StatedGate): StatementAnchor[] => [
  { kind: 'work', id: workId },
  ...receiptsOf(requestReceipt),
  ...receiptsOf(decisionReceipt),
];
const receiptsOf = (ids: readonly string[] | string | null): StatementAnchor[] =>
  [ids ?? []].flat().map((id) => ({ kind: 'receipt', id }));

/** Parts that are not there are left out; a full stop ends it. */
const sentence = (first: string[], ...more: (string[] | string | null)[]): string[] =>
  [...more.filter((part) => Array.isArray(part)), say`.`].reduce(join, first);

const withOptional = (before: string[], value: string | null): Pick<Statement, 'parts' | 'block'> =>
  value === null || value === '' ? { parts: join(before, say`.`) } : withValue(before, value);

const day = (at: Date): string => at.toISOString().slice(0, 10);
const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** How much it says, and how many different things of each kind it rests on. */
export function statsOf({ sections }: Storybook): StorybookStats {
  const stated = sections.filter(({ id }) => id !== 'evidence').flatMap(({ statements }) => statements);
  const names = new Set(stated.flatMap(({ anchors }) => anchors.map(nameOf)));
  const count = (kind: string): number => [...names].filter((name) => name.startsWith(`${kind}/`)).length;
  return {
    statements: stated.length,
    ...{ facts: count('fact'), layers: count('layer'), work: count('work') },
    ...{ receipts: count('receipt'), chunks: count('chunk') },
  };
}
