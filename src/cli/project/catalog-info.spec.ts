import { describe, expect, it } from 'vitest';
import { readCatalog } from './catalog-info.js';

const CATALOG = `
apiVersion: backstage.io/v1alpha1
kind: System
metadata:
  name: Lighthouse
  title: The Lighthouse
spec:
  owner: team-a
---
apiVersion: backstage.io/v1alpha1
kind: Component
metadata:
  name: server
  annotations:
    github.com/project-slug: acme/server
spec:
  type: service
  system: system:default/Lighthouse
---
apiVersion: backstage.io/v1alpha1
kind: API
metadata:
  name: lighthouse-api
  annotations:
    backstage.io/source-location: url:https://github.com/acme/api/tree/main/
spec:
  system: Lighthouse
---
apiVersion: backstage.io/v1alpha1
kind: Component
metadata:
  name: site_docs
spec: {}
---
apiVersion: backstage.io/v1alpha1
kind: Group
metadata:
  name: team-a
`;

describe('a catalog', () => {
  it('has systems as projects, and components as their repositories or as projects of their own', () => {
    expect(readCatalog(CATALOG)).toEqual({
      projects: [
        {
          id: 'lighthouse',
          name: 'The Lighthouse',
          repos: [
            { repo: 'acme/server', role: 'service' },
            { repo: 'acme/api', role: null },
          ],
        },
        { id: 'site-docs', name: 'site_docs', repos: [] },
      ],
      notes: [
        'Group team-a is left out: it is neither a project nor a repository',
        'Component site_docs names no repository (github.com/project-slug)',
      ],
    });
  });

  it.each([
    ['', 'describes no'],
    ['a: [', 'is no YAML'],
    ['a: 1\na: 2', 'is no YAML'],
    ['kind: System', 'apiVersion'],
    ['apiVersion: backstage.io/v1alpha1\nkind: System', 'metadata.name'],
    ['apiVersion: backstage.io/v1alpha1\nkind: System\nmetadata: {name: "---"}', 'no id'],
    [`apiVersion: backstage.io/v1alpha1\nkind: System\nmetadata: {name: "${'a'.repeat(64)}"}`, 'no id'],
    ['apiVersion: backstage.io/v1alpha1\nkind: System\nmetadata: {name: Session}', 'is kept'],
    ['apiVersion: backstage.io/v1alpha1\nkind: API\nmetadata: {name: a}\nspec: {system: "default/session"}', 'is kept'],
    ['apiVersion: backstage.io/v1alpha1\nkind: Group\nmetadata: {name: a}', 'describes no'],
    ['a: &a [1]\nb: [*a, *a]', 'Alias'],
    ['x'.repeat(1024 * 1024 + 1), 'more than'],
  ])('is refused: %.40s', (text, says) => {
    expect(() => readCatalog(text)).toThrow(says);
  });

  it('takes the slug before the place of the source, and no repository that is none', () => {
    const component = (annotations: string) =>
      readCatalog(
        `apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {name: a, annotations: {${annotations}}}`,
      ).projects[0]!.repos;
    expect(component('github.com/project-slug: a/b, backstage.io/source-location: "url:https://x/c/d"')).toEqual([
      { repo: 'a/b', role: null },
    ]);
    expect(component('backstage.io/source-location: "url:https://x/c/d.git"')).toEqual([{ repo: 'c/d', role: null }]);
    expect(component('github.com/project-slug: "../etc"')).toEqual([]);
    expect(component('backstage.io/source-location: "file:/etc/passwd"')).toEqual([]);
  });
});
