import { tool } from '../../../common/contract/tool-declaration.js';
import { FactsQuery, FoundFactsReply } from './fact-queries.dto.js';
import { FactDeleted, FactPath, FactReply, StoredFactReply, StoreFactRequest } from './facts.dto.js';

export const FACT_TOOLS = [
  tool('store_fact', {
    title: 'Store a fact',
    description:
      'Remembers a value under an entity and a key. A second value for the same entity and key supersedes the first, which stays readable as history.',
    route: 'PUT /v1/facts',
    body: StoreFactRequest,
    answer: StoredFactReply,
    isRead: false,
  }),
  tool('search_facts', {
    title: 'Search facts',
    description:
      'Finds what is remembered, ranked by the words of `query`, within token_budget; without a query, the latest facts of an entity or of entities that begin with entity_prefix.',
    route: 'GET /v1/facts',
    query: FactsQuery,
    answer: FoundFactsReply,
    isRead: true,
  }),
  tool('get_fact', {
    title: 'Read one fact',
    description:
      'Reads one fact whole, by its id. Superseded versions are there too, and name what superseded them; those of a retired fact are found by search_facts with as_of alone.',
    route: 'GET /v1/facts/:factId',
    path: FactPath,
    answer: FactReply,
    isRead: true,
  }),
  tool('retire_fact', {
    title: 'Retire a fact',
    description:
      'Retires a fact by the fact_id of its current version: reads no longer find the entity and key, search_facts with as_of still does. The id of an older version is refused, and the error names the current one.',
    route: 'DELETE /v1/facts/:factId',
    path: FactPath,
    answer: FactDeleted,
    isRead: false,
    isDestructive: true,
  }),
];
