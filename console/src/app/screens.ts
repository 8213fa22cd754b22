import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { useHasSession } from '../client/identity.ts';
import { useWhyNot, type Right } from '../client/rights.ts';

export interface Screen {
  /** As wouter reads it. Another address is another screen, built from nothing. */
  path: string;
  /** What may follow in the address and only selects something on the screen, which stays when it changes. */
  selection?: string;
  title: string;
  /** In the navigation: in which part; screens without one are reached from others. */
  group?: Group;
  /** The setting that its routes need. */
  setting?: string;
  /** It shows the tenant API's side, which knows sessions alone. */
  needsSession?: true;
  /** Without it the server shows nothing of what the screen is about. */
  right?: Right;
  component: LazyExoticComponent<ComponentType>;
  /** The same, once it is here. */
  loaded?: ComponentType;
  load: () => Promise<void>;
}

export const GROUPS = ['Watch', 'Find', 'Decide', 'Verify', 'Work', 'People', 'Operate'] as const;
type Group = (typeof GROUPS)[number];

type Loader = () => Promise<{ default: ComponentType }>;
const screen = (path: string, title: string, read: Loader, more: Partial<Screen> = {}): Screen => {
  const made: Screen = {
    ...{ path, title, component: lazy(read), ...more },
    load: async () => {
      made.loaded = (await read()).default;
    },
  };
  return made;
};

/** Of one screen at one address, whatever is selected on it. */
export const screenKey = ({ path }: Screen, params: Record<string, string | undefined>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '');

/** Every screen, with its address. */
export const SCREENS: readonly Screen[] = [
  screen('/', 'Overview', () => import('../screens/overview/OverviewScreen.tsx'), { group: 'Watch' }),
  screen('/facts', 'Facts', () => import('../screens/facts/FactsScreen.tsx'), { group: 'Find' }),
  screen('/facts/:id', 'Fact', () => import('../screens/facts/FactScreen.tsx')),
  screen('/search', 'Search', () => import('../screens/search/SearchScreen.tsx'), { group: 'Find' }),
  screen('/search/:query', 'Search', () => import('../screens/search/SearchScreen.tsx')),
  screen('/documents', 'Documents', () => import('../screens/documents/DocumentsScreen.tsx'), {
    ...{ group: 'Find', needsSession: true, right: 'write' },
  }),
  screen('/documents/:corpus/:document', 'Document', () => import('../screens/documents/DocumentScreen.tsx'), {
    ...{ selection: '/:passage?', needsSession: true, right: 'write' },
  }),
  screen('/graph', 'Graph', () => import('../screens/graph/GraphScreen.tsx'), { group: 'Find' }),
  screen('/graph/:kind/:id', 'Entity', () => import('../screens/graph/EntityScreen.tsx')),
  screen('/engrams', 'Engrams', () => import('../screens/engrams/EngramsScreen.tsx'), { group: 'Find' }),
  screen('/engrams/:name', 'Engram', () => import('../screens/engrams/EngramScreen.tsx')),
  screen('/cases', 'Cases', () => import('../screens/cases/CasesScreen.tsx'), { group: 'Find' }),
  screen('/cases/:id', 'Case', () => import('../screens/cases/CaseScreen.tsx')),
  screen('/review', 'Review', () => import('../screens/review/ReviewScreen.tsx'), {
    ...{ group: 'Decide', selection: '/:kind?/:id?', right: 'oversee' },
  }),
  screen('/work', 'Work', () => import('../screens/work/WorkScreen.tsx'), { group: 'Work', right: 'oversee' }),
  screen('/work/:id', 'Work item', () => import('../screens/work/WorkItemScreen.tsx'), { right: 'oversee' }),
  screen('/leases', 'Leases', () => import('../screens/leases/LeasesScreen.tsx'), {
    group: 'Work',
    setting: 'SVCD_PUNCHCARD',
  }),
  screen('/receipts', 'Receipts', () => import('../screens/receipts/ReceiptsScreen.tsx'), { group: 'Verify' }),
  screen('/receipts/:id', 'Receipt', () => import('../screens/receipts/ReceiptScreen.tsx')),
  screen('/answers', 'Answers', () => import('../screens/answers/AnswersScreen.tsx'), { group: 'Verify' }),
  screen('/answers/:id', 'Answer', () => import('../screens/answers/AnswerScreen.tsx'), { right: 'oversee' }),
  screen('/sessions', 'Sessions', () => import('../screens/sessions/SessionsScreen.tsx'), {
    group: 'Watch',
    setting: 'SVCD_OBSERVE',
  }),
  screen('/sessions/:id', 'Session', () => import('../screens/sessions/SessionScreen.tsx'), {
    selection: '/:part?/:step?',
  }),
  screen('/activity', 'Activity', () => import('../screens/activity/ActivityScreen.tsx'), {
    group: 'Watch',
    setting: 'SVCD_FEATURE_ACTIVITY_LOG',
  }),
  screen('/projects', 'Projects', () => import('../screens/projects/ProjectsScreen.tsx'), {
    group: 'Work',
    right: 'oversee',
  }),
  screen('/projects/:id', 'Project', () => import('../screens/projects/ProjectScreen.tsx'), {
    ...{ selection: '/:part?', right: 'oversee' },
  }),
  screen('/incidents', 'Incidents', () => import('../screens/incidents/IncidentsScreen.tsx'), {
    group: 'Verify',
    setting: 'SVCD_FEATURE_INCIDENTS',
  }),
  screen('/incidents/:id', 'Incident', () => import('../screens/incidents/IncidentScreen.tsx')),
  screen('/holds', 'Legal holds', () => import('../screens/holds/HoldsScreen.tsx'), {
    ...{ group: 'Verify', setting: 'SVCD_FEATURE_LEGAL_HOLD', right: 'oversee' },
  }),
  screen('/holds/:id', 'Legal hold', () => import('../screens/holds/HoldScreen.tsx'), { right: 'oversee' }),
  screen('/seats', 'Seats', () => import('../screens/seats/SeatsScreen.tsx'), {
    ...{ group: 'People', needsSession: true, right: 'administer' },
  }),
  screen('/keys', 'API keys', () => import('../screens/keys/KeysScreen.tsx'), {
    ...{ group: 'People', needsSession: true, right: 'own' },
  }),
  screen('/passports', 'Passports', () => import('../screens/passports/PassportsScreen.tsx'), { group: 'People' }),
  screen('/passports/list', 'Passports', () => import('../screens/passports/PassportsScreen.tsx'), {
    selection: '/:tab?',
  }),
  screen('/passports/:id', 'Passport', () => import('../screens/passports/PassportScreen.tsx')),
  screen('/peers', 'Peers', () => import('../screens/peers/PeersScreen.tsx'), { group: 'People', right: 'oversee' }),
  screen('/integrations', 'Integrations', () => import('../screens/integrations/IntegrationsScreen.tsx'), {
    ...{ group: 'Operate', setting: 'SVCD_INTEGRATIONS_ENABLED', right: 'oversee' },
  }),
  screen('/usage', 'Usage', () => import('../screens/usage/UsageScreen.tsx'), { group: 'Operate' }),
  screen('/studio', 'Studio', () => import('../screens/studio/StudioScreen.tsx'), { group: 'Operate' }),
  screen('/settings', 'Daemon', () => import('../screens/settings/SettingsScreen.tsx'), { group: 'Operate' }),
];

/** Why somebody has not the right to a screen; who has no session sees on it how to sign in for one. */
export function useWhyNoScreen({ needsSession, right }: Screen): string | undefined {
  const hasSession = useHasSession();
  return useWhyNot(needsSession && !hasSession ? undefined : right);
}

/** The screen of an address. */
export const screenAt = (address: string): Screen | undefined =>
  SCREENS.find(({ path, selection }) =>
    new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}${selection ? '(?:/.*)?' : ''}$`).test(address),
  );
