import { tool } from '../../../common/contract/tool-declaration.js';
import { StorybookQuery, StorybooksPath, StorybookShown } from './storybooks.dto.js';

export const STORYBOOK_TOOLS = [
  tool('read_storybook', {
    title: 'Read the storybook of a project',
    description:
      'What is known of a project as one Markdown text: overview and layers, people, decisions, timeline, work, risks, open questions, and the evidence that each sentence names. Read it when you come new to a project; section gives one part of it, claims each sentence apart with the facts, layers, receipts and work items it rests on. It is as of generated_at_unix_ms. StorybookUnknown: none was generated yet.',
    route: 'GET /v1/projects/:id/storybook',
    path: StorybooksPath,
    query: StorybookQuery,
    answer: StorybookShown,
    isRead: true,
    names: { id: 'project_id' },
  }),
];
