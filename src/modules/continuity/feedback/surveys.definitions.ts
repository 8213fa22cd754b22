import type { Survey } from './surveys.types.js';

const SATISFACTION = {
  questionId: 'satisfaction',
  kind: 'scale' as const,
  text: 'How well does the service do what you need?',
  required: true,
  min: 1,
  max: 10,
  minLabel: 'not at all',
  maxLabel: 'entirely',
};

const MISSED = {
  questionId: 'missed',
  kind: 'text' as const,
  text: 'What do you miss most?',
  required: false,
  maxLength: 2000,
};

/**
 * Every survey there is. A question is never changed in place: a response to an earlier version stays with that
 * version.
 */
export const SURVEYS: readonly Survey[] = [
  {
    surveyId: 'getting-started',
    version: 1,
    title: 'Getting started',
    about: 'Four questions about your first steps.',
    tiers: ['free'],
    opensAt: '2026-11-01T00:00:00Z',
    closesAt: null,
    questions: [
      {
        questionId: 'purpose',
        kind: 'single_choice',
        text: 'What do you use it for?',
        required: true,
        options: [
          { id: 'evaluation', label: 'To see whether it fits' },
          { id: 'personal', label: 'For work of my own' },
          { id: 'team', label: 'For work of my team' },
          { id: 'product', label: 'Within a product' },
        ],
      },
      SATISFACTION,
      {
        questionId: 'obstacles',
        kind: 'multiple_choice',
        text: 'What keeps you from using it more?',
        required: false,
        maxChoices: 5,
        options: [
          { id: 'ranking', label: 'What it finds' },
          { id: 'speed', label: 'Its speed' },
          { id: 'formats', label: 'Formats of documents it does not take' },
          { id: 'limits', label: 'The limits of the free tier' },
          { id: 'documentation', label: 'The documentation' },
        ],
      },
      MISSED,
    ],
  },
  {
    surveyId: 'in-use',
    version: 1,
    title: 'In use',
    about: 'Five questions about how it serves you and your agents.',
    tiers: ['starter', 'pro', 'team'],
    opensAt: '2026-11-01T00:00:00Z',
    closesAt: null,
    questions: [
      SATISFACTION,
      {
        questionId: 'recommend',
        kind: 'scale',
        text: 'How likely are you to recommend it?',
        required: true,
        min: 0,
        max: 10,
        minLabel: 'never',
        maxLabel: 'certainly',
      },
      {
        questionId: 'relied-on',
        kind: 'multiple_choice',
        text: 'Which parts do you rely on?',
        required: true,
        maxChoices: 6,
        options: [
          { id: 'retrieval', label: 'Retrieval' },
          { id: 'citations', label: 'Citations' },
          { id: 'proofs', label: 'Proofs' },
          { id: 'continuity', label: 'The homes of agents' },
          { id: 'watches', label: 'Watches' },
          { id: 'shield', label: 'Approvals' },
        ],
      },
      {
        questionId: 'next',
        kind: 'single_choice',
        text: 'What should become better first?',
        required: true,
        options: [
          { id: 'ranking', label: 'What it finds' },
          { id: 'speed', label: 'Its speed' },
          { id: 'evidence', label: 'Its proofs' },
          { id: 'integrations', label: 'What it works with' },
          { id: 'price', label: 'What it costs' },
        ],
      },
      MISSED,
    ],
  },
];
