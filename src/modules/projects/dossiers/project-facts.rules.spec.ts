import { describe, expect, it } from 'vitest';
import { projectEntities } from '../projects/projects.types.js';
import { nameInProject, topicOf } from './project-facts.rules.js';

describe('a fact of a project', () => {
  it.each([
    ['project:shop', 'status', 'other', 'status'],
    ['project:shop', 'decision:db', 'decisions', 'decision:db'],
    ['project:shop', 'Decision on the database', 'decisions', 'Decision on the database'],
    ['project:shop/decisions', 'db', 'decisions', 'decisions db'],
    ['project:shop:risks/2026', 'load', 'risks', 'risks/2026 load'],
    ['project:shop', 'open_question.tax', 'questions', 'open_question.tax'],
    ['project:shop', 'owner', 'people', 'owner'],
    ['project:shop/api', 'owner', 'other', 'api owner'],
    ['project:shop', 'toString', 'other', 'toString'],
  ])('%s %s is of %s', (entity, key, topic, name) => {
    expect([topicOf('shop', { entity, key }), nameInProject('shop', { entity, key })]).toEqual([topic, name]);
  });
});

it('the entities of a project are not those of another whose id begins so', () => {
  const { entity, prefixes } = projectEntities('shop');
  expect([entity, prefixes.some((prefix) => 'project:shop-two'.startsWith(prefix))]).toEqual(['project:shop', false]);
});
