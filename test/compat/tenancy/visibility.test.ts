import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Meaning,
  type ReadAnswer,
  readMeaning,
  visibilityMode,
  watchesKind,
} from '../../../src/core/policy/index.ts';
import { clusterSecret, Given, settings } from './given.ts';

const deployments = { group: 'apps', resource: 'deployments', kind: 'Deployment', namespace: '' };
const mode = (value: string | undefined, tenant = false): ReturnType<typeof visibilityMode> => {
  const given = new Given(value === undefined ? '' : settings(`resource.respectRBAC: "${value}"`));
  return visibilityMode(given.snapshot.settings.respectRBAC, tenant);
};
const ask = (value: string | undefined, answer: Partial<ReadAnswer>, target = deployments): Meaning =>
  readMeaning(mode(value), target, {
    verb: 'list',
    status: 403,
    kubernetesStatus: true,
    acceptedElsewhere: true,
    ...answer,
  });
const message = (meaning: Meaning): string => ('message' in meaning ? meaning.message : '');

test('H1 unset: a forbidden kind is an error of the cluster that names the setting', () => {
  const meaning = ask(undefined, {});
  assert.equal(meaning.means, 'cluster-error');
  assert.equal(
    message(meaning),
    'failed to load initial state of resource Deployment.apps: the credential may not list Deployment.apps (403); set resource.respectRBAC to normal or strict in argocd-cm to leave such kinds out',
  );
});

test('H2 normal: a forbidden kind is left out, no review is sent', () => {
  assert.deepEqual(ask('normal', {}), {
    means: 'no-access',
    message: 'the credential may not list Deployment.apps (403)',
  });
});

test('H3 strict: left out once the review denies', () => {
  assert.equal(ask('strict', {}).means, 'review');
  assert.deepEqual(ask('strict', { review: 'denied' }), {
    means: 'no-access',
    message: 'the credential may not list Deployment.apps (403), confirmed by an access review',
  });
});

test('H4 strict: retried where the review allows; the cluster stays usable', () => {
  assert.deepEqual(ask('strict', { review: 'allowed' }), {
    means: 'retry',
    message: 'the credential may not list Deployment.apps (403), though the access review says it may',
  });
});

test('H5 strict: a list that works asks for no review', () =>
  assert.deepEqual(ask('strict', { status: 200 }), { means: 'readable' }));

test('H6 strict: a review that fails leaves the kind unknown, not dropped', () => {
  const meaning = ask('strict', { review: 'failed' });
  assert.equal(meaning.means, 'undecided');
  assert.equal(
    message(meaning),
    'failed to check permissions for resource Deployment.apps: the access review was refused or failed',
  );
});

test('H7 the value true is invalid: off, with a problem that names the key', () => {
  assert.equal(mode('true'), 'off');
  const { unreadable } = new Given(settings('resource.respectRBAC: "true"')).assembled;
  assert.equal(unreadable.length, 1);
  assert.match(unreadable[0]?.reason ?? '', /^resource\.respectRBAC: /);
});

test('H8 an empty value is off', () => assert.equal(mode(''), 'off'));

const watched = (data: string, kind: string, group = '', server = 'https://a'): boolean =>
  watchesKind(new Given(settings(data)).snapshot.settings, server, { group, kind });

test('H9 an excluded kind is not listed, so no review is sent for it', () => {
  const data = "resource.exclusions: |\n  - {apiGroups: ['*.example.com'], kinds: ['*'], clusters: ['https://a']}";
  assert.equal(watched(data, 'Widget', 'x.example.com'), false);
  assert.equal(watched(data, 'Widget', 'x.example.com', 'https://b'), true);
  assert.equal(watched(data, 'Secret'), true);
  assert.equal(watched(data, 'Event'), false);
  assert.equal(watched(data, 'Lease', 'coordination.k8s.io'), false);
});

test('H10 with inclusions of Deployment a Secret is never listed', () => {
  const data = "resource.inclusions: |\n  - {apiGroups: [apps], kinds: [Deployment], clusters: ['https://a']}";
  assert.equal(watched(data, 'Deployment', 'apps'), true);
  assert.equal(watched(data, 'Secret'), false);
  assert.equal(watched(data, 'Secret', '', 'https://b'), true);
});

test('H11 a forbidden watch counts like a forbidden list', () => {
  assert.deepEqual(ask('normal', { verb: 'watch' }), {
    means: 'no-access',
    message: 'the credential may not watch Deployment.apps (403)',
  });
});

test('H14 normal: the namespace is part of the answer', () => {
  const b = { ...deployments, namespace: 'b' };
  assert.deepEqual(ask('normal', { status: 200 }, { ...deployments, namespace: 'a' }), { means: 'readable' });
  assert.equal(message(ask('normal', {}, b)), 'the credential may not list Deployment.apps in namespace b (403)');
});

test('H15 strict: the same, with a review for that namespace alone', () => {
  const meaning = ask('strict', {}, { ...deployments, namespace: 'b' });
  assert.deepEqual(meaning.means === 'review' && meaning.reviews.map(({ namespace }) => namespace), ['b', 'b']);
});

test('H17 a 401 of a credential that is accepted nowhere is a fault of the connection: nothing is dropped', () => {
  for (const value of [undefined, 'normal', 'strict']) {
    const meaning = ask(value, { status: 401, acceptedElsewhere: false });
    assert.equal(meaning.means, 'connection-fault');
    assert.equal(message(meaning), 'list Deployment.apps: the cluster does not accept the credential (401)');
  }
});

test('H17 a 401 of a credential accepted elsewhere concerns this kind alone', () => {
  assert.equal(ask('normal', { status: 401 }).means, 'no-access');
  assert.equal(ask('strict', { status: 401 }).means, 'review');
});

test('H23 the review carries group, resource, both verbs and the namespace', () => {
  const meaning = ask('strict', {});
  assert.deepEqual(meaning, {
    means: 'review',
    reviews: [
      { group: 'apps', resource: 'deployments', verb: 'list', namespace: '' },
      { group: 'apps', resource: 'deployments', verb: 'watch', namespace: '' },
    ],
  });
});

test('H24 a 403 without a Kubernetes Status is transport in every mode', () => {
  for (const value of [undefined, 'normal', 'strict']) {
    const meaning = ask(value, { kubernetesStatus: false });
    assert.deepEqual(meaning, {
      means: 'retry',
      message: 'list Deployment.apps: 403 from something that is not the Kubernetes API',
    });
  }
});

test('J42 a tenant cluster acts as normal where the setting is unset', () => {
  assert.equal(mode(undefined, true), 'normal');
  assert.equal(mode('strict', true), 'strict');
});

test('H1 other answers say nothing about rights', () => {
  for (const status of [0, 404, 410, 429, 500, 503]) assert.equal(ask('normal', { status }).means, 'retry');
});

test('H1 a cluster Secret of the control plane is no tenant cluster', () => {
  const given = new Given(clusterSecret('x', 'argocd', "server: https://x\nconfig: '{}'"));
  assert.equal(given.cluster('argocd/x').tenant, false);
});
