import { metrics } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader
} from '@opentelemetry/sdk-metrics'
import { afterAll, expect, test } from 'vitest'
import { createVerifier } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
afterAll(() => provider.shutdown())

test('the OpenTelemetry example counts verdicts by status and code, and times them', async () => {
  metrics.setGlobalMeterProvider(provider)
  await import('../opentelemetry.ts')
  const service = createTestService({ rsaBits: 1024 })
  const verify = createVerifier(service.options)
  await verify(service.sign())
  await verify(service.sign())
  await verify({ ...service.sign(), https: false })
  await provider.forceFlush()

  const [exported] = exporter.getMetrics()
  const found = exported?.scopeMetrics[0]?.metrics ?? []
  const points = Object.fromEntries(found.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]))
  expect(
    points['signed_requests.verdicts']?.map(({ attributes, value }) => ({ ...attributes, value }))
  ).toEqual([
    { status: 'verified', code: '', signed: 'key', value: 2 },
    { status: 'rejected', code: 'not-https', signed: 'claimed', value: 1 }
  ])
  expect(points['signed_requests.verdict.duration']?.map(({ value }) => value)).toMatchObject([
    { count: 2 },
    { count: 1 }
  ])
})
