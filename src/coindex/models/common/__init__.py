"""What all model families share: recipes, artifacts, training logs, quantization, ONNX weights."""
