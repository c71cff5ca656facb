"""Options by topic, which `config` and `processes.parallel_context` keep and check.

Reading order: `context_options`, `parallel_options`, `strategy_search`, `optimizer_sharding`, `gradient_fusion`,
`parameter_server`.
"""
