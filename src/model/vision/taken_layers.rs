//! Which rows of which layers of a tower a family takes.

use candle_core::{Result, Tensor};
use serde_json::Value;

use super::clip_spec::ClipSpec;
use super::feature_layer::FeatureLayer;
use crate::model::{error::ModelError, families::Config};

/// Layers whose rows are taken, side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TakenLayers {
    /// 0 is what the first layer reads, 1 what it gives.
    numbers: Vec<usize>,
    is_normed: bool,
    /// The first row of every picture is left out: CLIP's class.
    without_first: bool,
}

impl TakenLayers {
    /// All rows of the last layer, normalised.
    pub(super) fn normed(spec: &ClipSpec) -> Self {
        Self { numbers: vec![spec.layers], is_normed: true, without_first: false }
    }

    /// Reads `vision_feature_layer`, one or several, which count from the end where they are negative, and
    /// `vision_feature_select_strategy`.
    pub(super) fn read(
        config: &Config,
        spec: &ClipSpec,
        default_layer: i64,
        default_strategy: &str,
    ) -> std::result::Result<Self, ModelError> {
        const LAYER: &str = "vision_feature_layer";
        const STRATEGY: &str = "vision_feature_select_strategy";
        let number = |value: &Value| FeatureLayer::depth_of(value.as_i64()?, spec.layers);
        let default = Value::from(default_layer);
        let numbers: Option<Vec<usize>> = match config.get(LAYER).unwrap_or(&default) {
            Value::Array(values) => values.iter().map(number).collect(),
            value => number(value).map(|number| vec![number]),
        };
        let numbers = numbers.filter(|numbers| (1..=spec.layers + 1).contains(&numbers.len()));
        let Some(numbers) = numbers else {
            return Err(config.expected(LAYER, "the number of a layer of the tower, or several"));
        };
        let without_first = match config.text(STRATEGY)?.unwrap_or(default_strategy) {
            "default" => true,
            "full" => false,
            _ => return Err(config.unsupported(STRATEGY)),
        };
        if without_first && spec.positions() < 2 {
            return Err(config.expected(STRATEGY, "`full` where a picture is one row"));
        }
        Ok(Self { numbers, is_normed: false, without_first })
    }

    /// How many layers.
    pub(super) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// How many layers have to be computed.
    pub(super) fn depth(&self) -> usize {
        self.numbers.iter().copied().max().unwrap_or(0)
    }

    /// Whether the norm behind the layers is applied.
    pub(super) fn is_normed(&self) -> bool {
        self.is_normed
    }

    /// Whether what a layer gives is taken although another one follows.
    pub(super) fn is_any_but_last(&self) -> bool {
        self.numbers.iter().any(|number| *number < self.depth())
    }

    /// Rows of a picture that are taken.
    pub(super) fn rows(&self, spec: &ClipSpec) -> usize {
        spec.positions() - usize::from(self.without_first)
    }

    /// What is taken of `streams`: of all layers, or of the last one alone where no other is taken.
    pub(super) fn of(&self, streams: &[Tensor]) -> Result<Tensor> {
        let skipped = (self.depth() + 1).saturating_sub(streams.len());
        let taken: Option<Vec<&Tensor>> = self
            .numbers
            .iter()
            .map(|number| number.checked_sub(skipped).and_then(|place| streams.get(place)))
            .collect();
        match taken.as_deref() {
            Some([one]) => Ok((*one).clone()),
            Some(several) => Tensor::cat(several, 1),
            None => candle_core::bail!("a layer of the tower was not computed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use candle_core::Device;
    use serde_json::json;

    use super::*;

    fn read(fields: &Value) -> std::result::Result<(TakenLayers, usize), String> {
        let tower = json!({"num_hidden_layers": 4, "image_size": 28, "patch_size": 14});
        let mut fields = fields.clone();
        fields["vision_config"] = tower;
        let config = Config::new(Path::new("config.json"), fields).unwrap();
        let spec = ClipSpec::read(&config, "clip_vision_model").unwrap();
        let taken =
            TakenLayers::read(&config, &spec, -2, "default").map_err(|it| it.to_string())?;
        let rows = taken.rows(&spec);
        Ok((taken, rows))
    }

    #[test]
    fn layers_are_counted_from_both_ends() {
        for (field, wanted) in [
            (json!(null), vec![3]),
            (json!(-1), vec![4]),
            (json!(0), vec![0]),
            (json!(-5), vec![0]),
            (json!([-2, 4, 1]), vec![3, 4, 1]),
        ] {
            let (taken, rows) = read(&json!({"vision_feature_layer": field})).unwrap();
            assert_eq!(taken.numbers, wanted, "{field}");
            assert_eq!(rows, 4);
        }
        for field in [json!(5), json!(-6), json!([]), json!([9]), json!("last")] {
            let refusal = read(&json!({"vision_feature_layer": field})).unwrap_err();
            assert!(refusal.contains("vision_feature_layer"), "{refusal}");
        }
        let (_, rows) = read(&json!({"vision_feature_select_strategy": "full"})).unwrap();
        assert_eq!(rows, 5);
        assert!(read(&json!({"vision_feature_select_strategy": "cls_patch"})).is_err());
    }

    #[test]
    fn several_layers_stand_side_by_side_in_the_order_asked_for() {
        let streams: Vec<Tensor> = [0f32, 1.0, 2.0, 3.0, 4.0]
            .map(|number| Tensor::new(&[[number], [number + 10.0]], &Device::Cpu).unwrap())
            .to_vec();
        let (taken, _) = read(&json!({"vision_feature_layer": [3, 0]})).unwrap();
        assert!(taken.is_any_but_last());
        let rows = taken.of(&streams[..4]).unwrap().to_vec2::<f32>().unwrap();
        assert_eq!(rows, [[3.0, 0.0], [13.0, 10.0]]);
        let (taken, _) = read(&json!({"vision_feature_layer": 3})).unwrap();
        assert!(!taken.is_any_but_last());
        let rows = taken.of(&streams[3..4]).unwrap().to_vec2::<f32>().unwrap();
        assert_eq!(rows, [[3.0], [13.0]]);
    }
}
